package io.pigeonhole.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.NodeBuilder;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaSource;
import java.io.IOException;
import java.util.Map;

/** A node that takes from Kafka, or one that only works on what others have left. Ends when its standard input does. */
final class TrafficProcess {
    private TrafficProcess() {}

    /** Arguments: JDBC URL, name of the node, and for the consumer the brokers and the topic. */
    public static void main(String[] arguments) throws IOException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setMaximumPoolSize(6);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbcStore store = JdbcStore.create(pool);
            Inbox<JdbcContext> inbox = Traffic.inbox(store, arguments[1]);
            NodeBuilder builder = Node.builder(store);
            if (arguments.length > 2) {
                builder.workers(0)
                        .source(KafkaSource.of(
                                inbox,
                                Map.of("bootstrap.servers", arguments[2], "group.instance.id", arguments[1]),
                                arguments[3]));
            } else {
                builder.inbox(inbox);
            }
            try (Node node = builder.start()) {
                System.out.println("started with " + node.sources().size() + " sources");
                int end = System.in.read();
                System.out.println("ends after " + end);
            }
        }
    }
}
