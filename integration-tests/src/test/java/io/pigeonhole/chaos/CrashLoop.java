package io.pigeonhole.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.NodeBuilder;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** A node with a handler that ends its process when it meets the killer. Ends when its standard input does. */
final class CrashLoop {
    static final String CONSUMER = "crash-loop";
    static final String TYPE = "deadly";
    static final String KILLER = "killer";
    static final int HALTED = 99;
    static final int CRASH_LIMIT = 2;
    static final int ATTEMPTS = 3;

    private CrashLoop() {}

    /** Arguments: JDBC URL, and for a node that takes from Kafka the brokers and the topic. */
    public static void main(String[] arguments) throws IOException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setMaximumPoolSize(16);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbcStore store = JdbcStore.create(pool);
            Inbox<JdbcContext> inbox = inbox(store, () -> Runtime.getRuntime().halt(HALTED));
            NodeBuilder builder = Node.builder(store).inbox(inbox).pollInterval(Duration.ofMillis(200));
            if (arguments.length > 1) {
                // A member that keeps its name takes its partitions over at once when it comes back after a crash.
                Map<String, Object> consumer = Map.of("bootstrap.servers", arguments[1], "group.instance.id", "only");
                builder.source(KafkaSource.of(inbox, consumer, arguments[2]));
            }
            try (Node node = builder.start()) {
                System.out.println("started with " + node.sources().size() + " sources");
                int end = System.in.read();
                System.out.println("ends after " + end);
            }
        }
    }

    /**
     * Attempts cost little time, leases not much more. Handlers take so long that others would be at work when the killer
     * ends the process.
     */
    static Inbox<JdbcContext> inbox(JdbcStore store, Runnable whatTheKillerDoes) {
        return Inbox.builder(CONSUMER, store)
                .crashLimit(CRASH_LIMIT)
                .lease(Duration.ofSeconds(1))
                .retry(RetryPolicy.fixed(Duration.ofMillis(100)).maxAttempts(ATTEMPTS))
                .handle(TYPE, PayloadDecoder.text(), (id, context) -> {
                    if (id.equals(KILLER)) {
                        whatTheKillerDoes.run();
                    }
                    context.defer("INSERT INTO effect (text) SELECT ? FROM pg_sleep(0.03)", id);
                })
                .build();
    }
}
