package io.pigeonhole.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.jdbc.DatabaseClock;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.OnEveryServer;
import io.pigeonhole.jdbc.PostgresServer;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.jdbc.Workshop;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of this process is an hour ahead of the database's, or an hour behind it; that of a producer is off as well. */
@OnEveryServer
class ClocksIT {
    private static final String TYPE = "timed";
    private static final Duration PATIENCE = ofSeconds(60);
    private static final Duration LEASE = ofSeconds(1);
    private static final Duration DELAY = ofSeconds(1);

    private final Workshop workshop;
    private final DatabaseClock clock;
    private final DataSource database;
    private final JdbcStore store;
    private final Map<String, Long> handledAt = new ConcurrentHashMap<>();

    ClocksIT(PostgresServer server) {
        workshop = server.emptySchema();
        clock = new DatabaseClock(workshop);
        database = PostgresServers.dataSource(clock.url());
        Schema.apply(database);
        store = JdbcStore.create(database);
    }

    @AfterEach
    void dropDatabase() {
        workshop.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void aRetryIsDueAfterItsDelayAndWhatIsReceivedIsDueAtOnce(int hours) {
        clock.advance(Duration.ofHours(hours));
        Inbox<JdbcContext> inbox = builder()
                .handle(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    handledAt.put(payload + " " + context.attempt(), System.nanoTime());
                    if (payload.equals("failing") && context.attempt() == 1) {
                        throw new IllegalStateException("fails once");
                    }
                })
                .build();
        try (Node node = start(inbox)) {
            assertThat(inbox.process(message("failing")))
                    .isEqualTo(new Outcome.Parked(1, DELAY, failure("fails once")));
            assertThat(
                            ask(
                                    "SELECT due_at - updated_at BETWEEN interval '0.9 s' AND interval '1 s'"
                                            + " AND clock_timestamp() - updated_at BETWEEN interval '0 s' AND interval '1 min' FROM inbox_work"))
                    .as("due by the database's clock")
                    .containsExactly("t");
            assertThat(inbox.receive(message("received"))).isEqualTo(new Outcome.Received());
            // A clock that counted would make this an hour late.
            await().atMost(PATIENCE).until(() -> ask("SELECT 1 FROM inbox_work").isEmpty());

            assertThat(handledAt).containsOnlyKeys("failing 1", "failing 2", "received 1");
            assertThat(between("failing 1", "failing 2")).isGreaterThanOrEqualTo(DELAY);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void aLeaseLastsAsLongAsItsHeartbeatAndEndsSoonAfterIt(int hours) {
        clock.advance(Duration.ofHours(hours));
        Inbox<JdbcContext> inbox = builder()
                .lease(LEASE)
                .<String>handleExternal(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    handledAt.put(payload + " " + context.attempt(), System.nanoTime());
                    if (payload.equals("long")) {
                        await().atMost(PATIENCE)
                                .until(() -> ask("SELECT lease_until - leased_at > interval '2 s' FROM inbox_work"
                                                + " WHERE message_id = 'long' AND status = 'leased'")
                                        .contains("t"));
                        assertThat(context.isLeaseLost()).isFalse();
                    }
                    return Completion.nothing();
                })
                .build();
        inbox.receive(message("orphan"));
        leaseOf(inbox);
        long leased = System.nanoTime();
        inbox.receive(message("long"));

        try (Node node = start(inbox)) {
            await().atMost(PATIENCE).until(() -> ask("SELECT 1 FROM inbox_work").isEmpty());
        }

        assertThat(handledAt).containsOnlyKeys("long 1", "orphan 2");
        assertThat(since(leased, "orphan 2"))
                .as("the lease, then the delay")
                .isGreaterThanOrEqualTo(LEASE.plus(DELAY).minus(ofMillis(100)));
        assertThat(ask("SELECT encode(w.message_id, 'escape') || ': ' || a.error_class FROM inbox_attempt AS a JOIN"
                        + " inbox_history AS w USING (consumer_id, message_key)"))
                .containsExactly("orphan: io.pigeonhole.core.failure.LeaseExpiredException");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void idsOfProducersWhoseClocksAreOffAreNeitherLateNorFromTheFuture(int hours) {
        // Far from the midnight at which the ledger begins.
        Instant now = SystemTime.clock().instant().truncatedTo(ChronoUnit.DAYS).plus(Duration.ofHours(36));
        clock.advance(Duration.between(SystemTime.clock().instant(), now).plusHours(hours));
        store.maintain();
        Inbox<JdbcContext> inbox = builder()
                .handle(TYPE, PayloadDecoder.text(), (payload, context) -> {})
                .build();
        List<Message> messages = new ArrayList<>();
        for (int off = -1; off <= 1; off++) {
            messages.add(message(timeOrdered(now.plus(Duration.ofHours(off)))));
        }

        assertThat(inbox.process(messages)).containsOnly(new Outcome.Processed());
        assertThat(inbox.process(messages)).containsOnly(new Outcome.Duplicate());
        assertThat(ask("SELECT reason FROM inbox_dead_letter")).isEmpty();
    }

    private InboxBuilder<JdbcContext> builder() {
        return Inbox.builder("timekeeper", store)
                .workPartitions(1)
                .history(HistoryMode.WITHOUT_PAYLOAD)
                .retry(RetryPolicy.fixed(DELAY).jitter(0));
    }

    private Node start(Inbox<JdbcContext> inbox) {
        return Node.builder(store).inbox(inbox).pollInterval(ofMillis(200)).start();
    }

    /** As a process that dies at once. */
    private void leaseOf(Inbox<JdbcContext> inbox) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(ofSeconds(10))) {
            assertThat(transaction.enter(inbox.registered(), 0)).isTrue();
            assertThat(transaction.lease(inbox.registered(), 0, 1, "dead", LEASE))
                    .hasSize(1);
            transaction.commit();
        }
    }

    private Duration since(long start, String handled) {
        return Duration.ofNanos(handledAt.getOrDefault(handled, Long.MAX_VALUE) - start);
    }

    private Duration between(String one, String other) {
        return since(handledAt.getOrDefault(one, 0L), other);
    }

    private static String failure(String text) {
        return IllegalStateException.class.getName() + ": " + text;
    }

    private static Message message(String id) {
        return Message.builder("watch").id(id).type(TYPE).payload(id).build();
    }

    private static String timeOrdered(Instant created) {
        UUID random = UUID.randomUUID();
        long high = created.toEpochMilli() << 16 | 7L << 12 | (random.getMostSignificantBits() & 0xFFF);
        return new UUID(high, random.getLeastSignificantBits()).toString();
    }

    /** With the clock that the inbox sees. */
    private List<String> ask(String sql) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }
}
