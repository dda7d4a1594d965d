package io.pigeonhole.peers;

import com.gruelbox.transactionoutbox.AlreadyScheduledException;
import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import io.pigeonhole.benchmarks.floor.MessageSinks;
import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.sql.DataSource;

/**
 * transaction-outbox as its documentation suggests it for incoming messages: the id of the message is the unique id of a
 * request, which is stored in one transaction and executed in another. It is no inbox, and does more than one: it retries.
 */
final class TransactionOutboxRequests implements Peer {
    private final ThreadLocalContextTransactionManager transactions;
    private final TransactionOutbox outbox;

    TransactionOutboxRequests(DataSource dataSource) {
        this.transactions = TransactionManager.fromDataSource(dataSource);
        PaymentHandler handler = this::handle;
        this.outbox = TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> handler))
                .submitter(Submitter.withExecutor(Runnable::run))
                .initializeImmediately(false)
                .build();
    }

    /** What is scheduled. */
    interface PaymentHandler {
        /** Takes the payload of a message. */
        void handle(String payload);
    }

    @Override
    public String configuration() {
        return "with().uniqueRequestId(id).schedule(…), executed by the thread that committed it: two transactions;"
                + " TXNO_OUTBOX with the primary key (id), a unique uniqueRequestId and an index";
    }

    /** Its migrations create them. */
    @Override
    public void createTables() {
        outbox.initialize();
    }

    @Override
    public List<String> tables() {
        return List.of("TXNO_OUTBOX");
    }

    @Override
    public void accept(List<Message> batch) {
        for (Message message : batch) {
            try {
                transactions.inTransaction(() -> schedule(message));
            } catch (AlreadyScheduledException e) {
                // A duplicate: the transaction is rolled back, and there is nothing to do.
            }
        }
    }

    private void schedule(Message message) {
        outbox.with()
                .uniqueRequestId(String.valueOf(message.id()))
                .schedule(PaymentHandler.class)
                .handle(new String(message.payload(), StandardCharsets.UTF_8));
    }

    private void handle(String payload) {
        Message message = Message.builder("payments")
                .payload(payload.getBytes(StandardCharsets.UTF_8))
                .build();
        try {
            transactions.requireTransaction(transaction -> MessageSinks.apply(message, transaction.connection()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
