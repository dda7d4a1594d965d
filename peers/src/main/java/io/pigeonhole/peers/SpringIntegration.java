package io.pigeonhole.peers;

import io.pigeonhole.core.message.Message;
import java.sql.SQLException;
import java.util.List;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;

/** Spring Integration's metadata store, as its idempotent receiver uses it, in the transaction of the business logic. */
final class SpringIntegration implements Peer {
    /** Its selector keeps the time of the message, or any other text. */
    private static final String VALUE = "1795305600000";

    private final SpringTransactions transactions;
    private final JdbcMetadataStore store;

    SpringIntegration(SpringTransactions transactions) {
        this.transactions = transactions;
        this.store = new JdbcMetadataStore(transactions.dataSource());
        store.afterPropertiesSet();
    }

    @Override
    public String configuration() {
        return "JdbcMetadataStore.putIfAbsent in a TransactionTemplate;"
                + " INT_METADATA_STORE, primary key (METADATA_KEY, REGION)";
    }

    @Override
    public void createTables() throws SQLException {
        transactions.execute(List.of("""
                CREATE TABLE INT_METADATA_STORE (
                    METADATA_KEY   varchar(255) NOT NULL,
                    METADATA_VALUE varchar(4000),
                    REGION         varchar(100) NOT NULL,
                    CONSTRAINT INT_METADATA_STORE_PK PRIMARY KEY (METADATA_KEY, REGION))"""));
    }

    @Override
    public List<String> tables() {
        return List.of("INT_METADATA_STORE");
    }

    @Override
    public void accept(List<Message> batch) {
        transactions.inTransaction(() -> batch.forEach(this::accept));
    }

    private void accept(Message message) {
        if (store.putIfAbsent(String.valueOf(message.id()), VALUE) == null) {
            transactions.apply(message);
        }
    }
}
