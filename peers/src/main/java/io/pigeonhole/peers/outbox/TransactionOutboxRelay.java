package io.pigeonhole.peers.outbox;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * transaction-outbox: each event is a request that is executed by one of many threads as soon as it is committed, and sends to Kafka and
 * waits. Requests of one key are not in order; its ordered ones are left to polling, one at a time for each topic.
 */
final class TransactionOutboxRelay implements RelayPath {
    private static final int THREADS = 16;

    private final DataSource dataSource;
    private final String bootstrapServers;

    TransactionOutboxRelay(DataSource dataSource, String bootstrapServers) {
        this.dataSource = dataSource;
        this.bootstrapServers = bootstrapServers;
    }

    /** What is scheduled. */
    interface Events {
        /** Sends one and waits. */
        void publish(String key, String payload);
    }

    @Override
    public String configuration() {
        return "schedule(…) in the transaction, executed by " + THREADS
                + " threads right after its commit (1 by default on two"
                + " processors), KafkaProducer.send(…).get() in each; no order of the events of a key";
    }

    @Override
    public void createTables() {
        outbox(
                        TransactionManager.fromDataSource(dataSource),
                        (key, payload) -> {},
                        Submitter.withExecutor(Runnable::run))
                .initialize();
    }

    private static TransactionOutbox outbox(
            ThreadLocalContextTransactionManager transactions, Events events, Submitter submitter) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> events))
                .submitter(submitter)
                .initializeImmediately(false)
                .build();
    }

    @Override
    public List<String> tables() {
        return List.of("TXNO_OUTBOX");
    }

    @Override
    public String left() {
        return "SELECT count(*) FROM TXNO_OUTBOX";
    }

    @Override
    public boolean isOrdered() {
        return false;
    }

    @Override
    public Running start(String topic, Flights flights) {
        KafkaSender sender = new KafkaSender(bootstrapServers, topic, flights);
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        ThreadLocalContextTransactionManager transactions = TransactionManager.fromDataSource(dataSource);
        TransactionOutbox outbox = outbox(transactions, sender::sendAndWait, Submitter.withExecutor(executor));
        outbox.initialize();
        return new Running() {
            @Override
            public void commit(List<Event> events, Runnable beforeCommit) {
                transactions.inTransaction(() -> {
                    try {
                        transactions.requireTransaction(transaction -> Accounts.credit(
                                transaction.connection(), events.get(0).account()));
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    events.forEach(event -> outbox.schedule(Events.class).publish(event.key(), event.payload()));
                    beforeCommit.run();
                });
            }

            @Override
            public void close() {
                executor.shutdownNow();
                sender.close();
            }
        };
    }
}
