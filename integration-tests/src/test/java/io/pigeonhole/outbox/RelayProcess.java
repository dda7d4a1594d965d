package io.pigeonhole.outbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaPublisher;
import java.io.IOException;
import java.util.Map;

/** A node that does nothing but publish. Ends when its standard input does. */
final class RelayProcess {
    static final int CONCURRENCY = 4;
    static final int BATCH = 100;

    private RelayProcess() {}

    /** Arguments: JDBC URL, brokers, and the topic, which is the destination too. */
    public static void main(String[] arguments) throws IOException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setMaximumPoolSize(CONCURRENCY + 2);
        try (HikariDataSource pool = new HikariDataSource(config);
                KafkaPublisher publisher = KafkaPublisher.of(Map.of("bootstrap.servers", arguments[1]), arguments[2])) {
            JdbcStore store = JdbcStore.create(pool);
            Relay relay = Relay.builder(arguments[2], store, publisher)
                    .concurrency(CONCURRENCY)
                    .batchSize(BATCH)
                    .build();
            try (Node node = Node.builder(store).relay(relay).start()) {
                System.out.println("started: " + node.health());
                int end = System.in.read();
                System.out.println("ends after " + end);
            }
        }
    }
}
