package io.pigeonhole.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.broker.InMemoryPublisher;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A transaction that has appended and stays open, while 10,000 others append behind it and commit. {@code -Dlate.commit.seconds=60} keeps it
 * open for as long as one likes.
 */
class LateCommitIT {
    private static final int THREADS = 4;
    private static final int TRANSACTIONS = 2_500;
    private static final int OF_A_TRANSACTION = 2;
    private static final int OTHERS = THREADS * TRANSACTIONS * OF_A_TRANSACTION;
    private static final int KEYS_OF_A_THREAD = 2;
    private static final int SECONDS = Integer.getInteger("late.commit.seconds", 0);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final EmbeddedPostgres postgres = EmbeddedPostgres.start(
            Path.of(System.getProperty("pigeonhole.target", "target")).resolve("postgres"));
    private final InMemoryPublisher publisher = InMemoryBroker.create().publisher("orders");

    @SuppressWarnings("NullAway.Init")
    private HikariDataSource pool;

    @SuppressWarnings("NullAway.Init")
    private JdbcStore store;

    @BeforeEach
    void start() {
        postgres.createDatabase("late");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.url("late"));
        config.setMaximumPoolSize(THREADS + 10);
        pool = new HikariDataSource(config);
        Schema.apply(pool);
        store = JdbcStore.create(pool);
    }

    @AfterEach
    void stop() {
        pool.close();
        postgres.close();
    }

    @Test
    void nothingIsLostAndEachKeyKeepsTheOrderOfItsCommits() throws SQLException {
        Relay relay = Relay.builder("orders", store, publisher).build();
        try (Node node = Node.builder(store).relay(relay).start();
                Connection late = pool.getConnection()) {
            late.setAutoCommit(false);
            append(store.outbox(late), "key 0 of 0", "late");
            append(store.outbox(late), "key of its own", "late too");

            List<CompletableFuture<Void>> others = IntStream.range(0, THREADS)
                    .mapToObj(thread -> CompletableFuture.runAsync(() -> appendAll(thread)))
                    .toList();
            others.forEach(CompletableFuture::join);
            await().atMost(PATIENCE).until(() -> publisher.published().size() == OTHERS);

            await().atMost(PATIENCE).until(() -> secondsOpen(late) >= SECONDS);

            late.commit();
            await().atMost(PATIENCE).until(() -> publisher.published().size() == OTHERS + 2);
            assertThat(node.health().isHealthy()).isTrue();
        }
        Map<String, List<String>> byKey = byKey();
        assertThat(byKey).hasSize(THREADS * KEYS_OF_A_THREAD + 1);
        assertThat(byKey.get("key of its own")).containsExactly("late too");
        for (int thread = 0; thread < THREADS; thread++) {
            for (int key = 0; key < KEYS_OF_A_THREAD; key++) {
                List<String> expected =
                        new ArrayList<>(IntStream.range(0, TRANSACTIONS * OF_A_TRANSACTION / KEYS_OF_A_THREAD)
                                .mapToObj(String::valueOf)
                                .toList());
                if (thread == 0 && key == 0) {
                    expected.add("late");
                }
                assertThat(byKey.get("key " + key + " of " + thread)).isEqualTo(expected);
            }
        }
        assertThat(store.appendedTo("orders")).isEmpty();
    }

    private static double secondsOpen(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT extract(epoch FROM clock_timestamp() - now())")) {
            row.next();
            return row.getDouble(1);
        }
    }

    private Map<String, List<String>> byKey() {
        Map<String, List<String>> byKey = new HashMap<>();
        for (Message message : publisher.published()) {
            byte[] key = Objects.requireNonNull(OrderingKey.of(message)).bytes();
            byKey.computeIfAbsent(new String(key, StandardCharsets.UTF_8), any -> new ArrayList<>())
                    .add(new String(message.payload(), StandardCharsets.UTF_8));
        }
        return byKey;
    }

    private void appendAll(int thread) {
        int[] next = new int[KEYS_OF_A_THREAD];
        for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                Outbox outbox = store.outbox(connection);
                for (int i = 0; i < OF_A_TRANSACTION; i++) {
                    int key = i % KEYS_OF_A_THREAD;
                    append(outbox, "key " + key + " of " + thread, "" + next[key]++);
                }
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void append(Outbox outbox, String key, String payload) {
        outbox.append(OutboxMessage.to("orders").key(key).payload(payload).build());
    }
}
