package io.pigeonhole.peers.outbox;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publisher;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaPublisher;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Pigeonhole: a node with one relay and the defaults. */
final class PigeonholeRelay implements RelayPath {
    static final String DESTINATION = "bench-events";

    private final DataSource dataSource;
    private final String bootstrapServers;
    private final boolean looksAtOnce;

    /**
     * A relay.
     *
     * @param looksAtOnce whether the store knows the program's transactions, so that relays look right after a commit; otherwise
     *     events are appended with {@code store.outbox(connection)} and found by polling
     */
    PigeonholeRelay(DataSource dataSource, String bootstrapServers, boolean looksAtOnce) {
        this.dataSource = dataSource;
        this.bootstrapServers = bootstrapServers;
        this.looksAtOnce = looksAtOnce;
    }

    @Override
    public String configuration() {
        return "Relay and KafkaPublisher with their defaults, one node;"
                + (looksAtOnce ? " store.outbox() in a transaction of the thread" : " store.outbox(connection)");
    }

    /** They are there. */
    @Override
    public void createTables() {}

    @Override
    public List<String> tables() {
        return List.of("outbox_message");
    }

    @Override
    public String left() {
        return "SELECT count(*) FROM outbox_message";
    }

    @Override
    public boolean isOrdered() {
        return true;
    }

    @Override
    public Running start(String topic, Flights flights) {
        ThreadTransactions transactions = new ThreadTransactions(dataSource);
        JdbcStore store =
                JdbcStore.builder(dataSource).transactions(transactions).build();
        KafkaPublisher kafka =
                KafkaPublisher.of(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers), topic);
        Relay relay =
                Relay.builder(DESTINATION, store, new Recording(kafka, flights)).build();
        Node node = Node.builder(store).relay(relay).start();
        return new OfNode(transactions, store, kafka, node, looksAtOnce);
    }

    private record OfNode(
            ThreadTransactions transactions, JdbcStore store, KafkaPublisher kafka, Node node, boolean looksAtOnce)
            implements Running {
        @Override
        public void commit(List<Event> events, Runnable beforeCommit) throws SQLException {
            transactions.run(connection -> {
                Accounts.credit(connection, events.get(0).account());
                (looksAtOnce ? store.outbox() : store.outbox(connection))
                        .appendAll(events.stream().map(PigeonholeRelay::message).toList());
                beforeCommit.run();
            });
        }

        @Override
        public void close() {
            node.close();
            kafka.close();
        }
    }

    private static OutboxMessage message(Event event) {
        return OutboxMessage.to(DESTINATION)
                .type("balance.changed")
                .key(event.key())
                .payload(event.payload())
                .build();
    }

    /** Notes what is confirmed. */
    private record Recording(Publisher publisher, Flights flights) implements Publisher {
        @Override
        public String name() {
            return publisher.name();
        }

        @Override
        public List<Publication> publish(List<Message> messages, Duration timeout) {
            List<Publication> outcomes = publisher.publish(messages, timeout);
            for (int i = 0; i < outcomes.size(); i++) {
                if (outcomes.get(i) instanceof Publication.Confirmed) {
                    flights.confirmed(Event.numberOf(messages.get(i).payload()));
                }
            }
            return outcomes;
        }
    }
}
