package io.pigeonhole.peers;

import io.pigeonhole.core.message.Message;
import java.util.List;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;

/** Camel's repository of message ids, as its idempotent consumer uses it, in the transaction of the business logic. */
final class Camel implements Peer {
    private final SpringTransactions transactions;
    private final JdbcMessageIdRepository repository;

    Camel(SpringTransactions transactions) {
        this.transactions = transactions;
        this.repository = new JdbcMessageIdRepository(transactions.dataSource(), transactions.template(), "bench");
    }

    @Override
    public String configuration() {
        return "JdbcMessageIdRepository.add and confirm in a TransactionTemplate;"
                + " CAMEL_MESSAGEPROCESSED, primary key (processorName, messageId)";
    }

    /** The repository creates its table by itself. */
    @Override
    public void createTables() {
        repository.start();
    }

    @Override
    public List<String> tables() {
        return List.of("CAMEL_MESSAGEPROCESSED");
    }

    @Override
    public void accept(List<Message> batch) {
        transactions.inTransaction(() -> batch.forEach(this::accept));
    }

    private void accept(Message message) {
        String id = String.valueOf(message.id());
        if (repository.add(id)) {
            transactions.apply(message);
            repository.confirm(id);
        }
    }
}
