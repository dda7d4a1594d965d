package io.pigeonhole.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Circuit;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The database goes away under load, and comes back. Nothing of ours is started again. */
@Tag("full")
class OutageIT {
    private static final Duration OUTAGE = Duration.ofSeconds(20);
    private static final Duration LONGEST_UNTIL_SUCCESS = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PROBE_INTERVAL = Duration.ofMillis(50);

    /** A pool that says soon that there is no connection; with its default it blocks for 30 s instead. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(2);

    private static final String INLINE = "inline";
    private static final String FAILING_TWICE = "failing-twice";
    private static final String EXTERNAL = "external";
    private static final long NEVER = Long.MIN_VALUE;

    private final EmbeddedPostgres postgres = EmbeddedPostgres.start(
            Path.of(System.getProperty("pigeonhole.target", "target")).resolve("postgres"));
    private final ScheduledExecutorService probes = Executors.newSingleThreadScheduledExecutor();
    private final Map<String, Long> firstSuccess = new ConcurrentHashMap<>();

    @SuppressWarnings("NullAway.Init")
    private HikariDataSource pool;

    @BeforeEach
    void start() {
        postgres.createDatabase("outage");
        Schema.apply(database());
        execute("CREATE TABLE effect (id text NOT NULL)");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.url("outage"));
        config.setMaximumPoolSize(16);
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        pool = new HikariDataSource(config);
    }

    @AfterEach
    void stop() {
        probes.shutdownNow();
        pool.close();
        postgres.close();
    }

    @Test
    void noAttemptIsCountedAndMessagesFlowSoonAfterTheDatabaseIsBack() {
        JdbcStore store = JdbcStore.create(pool);
        Inbox<JdbcContext> inbox = inbox(store);
        Feed feed = new Feed(inbox, OutageIT::message);
        try (Node node = Node.builder(store).inbox(inbox).source(feed).start()) {
            await().atMost(PATIENCE)
                    .until(() -> feed.settled() > 500 && firstSuccess.keySet().containsAll(types()));
            assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);

            postgres.kill();
            long stopped = System.nanoTime();
            await().atMost(OUTAGE).until(() -> node.circuit() == Circuit.OPEN);
            int settled = feed.settled();
            AtomicLong probed = probe();
            AtomicBoolean closed = new AtomicBoolean();
            await().pollInterval(PROBE_INTERVAL).atMost(OUTAGE.plus(PATIENCE)).until(() -> {
                closed.compareAndSet(false, node.circuit() == Circuit.CLOSED);
                return since(stopped).compareTo(OUTAGE) >= 0;
            });
            assertThat(closed).as("the circuit is open until the end").isFalse();
            assertThat(feed.settled()).as("settled without a database").isEqualTo(settled);

            firstSuccess.clear();
            postgres.restart();
            await().atMost(PATIENCE).until(() -> firstSuccess.keySet().containsAll(types()));
            await().atMost(PATIENCE).until(() -> node.circuit() == Circuit.CLOSED);
            types().forEach(type -> assertSoonAfter(probed.get(), type));

            feed.stop();
            await().atMost(PATIENCE)
                    .until(() -> ask("SELECT 1 FROM inbox_work LIMIT 1").isEmpty());
        }
        assertNothingIsLostRepeatedOrBlamed(feed.submitted());
    }

    private void assertSoonAfter(long probed, String type) {
        assertThat(probed).isNotEqualTo(NEVER);
        Duration later = Duration.ofNanos(firstSuccess.getOrDefault(type, Long.MAX_VALUE) - probed);
        System.out.println("OutageIT: first success of " + type + " " + later.toMillis()
                + " ms after the pool's first connection");
        assertThat(later).as("first success of " + type).isLessThan(LONGEST_UNTIL_SUCCESS);
    }

    private void assertNothingIsLostRepeatedOrBlamed(int submitted) {
        List<String> ids = new ArrayList<>();
        int failing = 0;
        for (int number = 0; number < submitted; number++) {
            ids.add("" + number);
            failing += type(number).equals(FAILING_TWICE) ? 1 : 0;
        }
        EffectsChecker.expecting(ids)
                .effects(ask("SELECT id FROM effect"))
                .dead(ask("SELECT encode(message_id, 'escape') FROM inbox_dead_letter"))
                .check()
                .assertExactlyOnce();
        assertThat(ask("SELECT reason FROM inbox_dead_letter")).isEmpty();
        assertThat(ask("SELECT error_class || ': ' || message FROM inbox_attempt WHERE message NOT LIKE 'fails at %'"))
                .as("attempts that nobody made fail")
                .isEmpty();
        assertThat(ask("SELECT count(*) FROM inbox_attempt")).containsExactly("" + 2 * failing);
    }

    private Inbox<JdbcContext> inbox(JdbcStore store) {
        return Inbox.builder("outage", store)
                .retry(RetryPolicy.fixed(Duration.ofMillis(300)))
                .workBatch(20)
                .handle(INLINE, PayloadDecoder.text(), (id, context) -> write(context, id))
                .handle(FAILING_TWICE, PayloadDecoder.text(), (id, context) -> {
                    write(context, id);
                    if (context.attempt() <= 2) {
                        throw new IllegalStateException("fails at attempt " + context.attempt());
                    }
                })
                .<String>handleExternal(
                        EXTERNAL, PayloadDecoder.text(), (id, context) -> completing -> write(completing, id))
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String consumer, Message message, Outcome outcome) {
                        if (outcome.kind() == Outcome.Kind.PROCESSED) {
                            firstSuccess.putIfAbsent(String.valueOf(message.type()), System.nanoTime());
                        }
                    }
                })
                .build();
    }

    private static void write(JdbcContext context, String id) {
        context.defer("INSERT INTO effect VALUES (?)", id);
    }

    /** What succeeds inline, by a worker, and by a worker with a lease. */
    private static List<String> types() {
        return List.of(INLINE, FAILING_TWICE, EXTERNAL);
    }

    private static String type(int number) {
        return number % 10 == 3 ? FAILING_TWICE : number % 10 == 7 ? EXTERNAL : INLINE;
    }

    private static Message message(int number) {
        return Message.builder("feed")
                .id("" + number)
                .type(type(number))
                .payload("" + number)
                .build();
    }

    /**
     * Notes when the pool first gives a connection that answers. A pool itself waits between its attempts, HikariCP up to
     * five seconds, so that a connection of the driver's would come first.
     */
    private AtomicLong probe() {
        AtomicLong succeeded = new AtomicLong(NEVER);
        var ignored = probes.scheduleWithFixedDelay(
                () -> {
                    if (succeeded.get() == NEVER && answers()) {
                        succeeded.set(System.nanoTime());
                    }
                },
                0,
                PROBE_INTERVAL.toMillis(),
                TimeUnit.MILLISECONDS);
        return succeeded;
    }

    private boolean answers() {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT 1")) {
            return row.next();
        } catch (SQLException e) {
            return false;
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private DataSource database() {
        return postgres.dataSource("outage");
    }

    private List<String> ask(String sql) {
        try (Connection connection = database().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String sql) {
        try (Connection connection = database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
