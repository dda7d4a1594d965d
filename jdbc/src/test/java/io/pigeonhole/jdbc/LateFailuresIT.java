package io.pigeonhole.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers that are away from the database for longer than they may: it has ended their transaction by then. */
@Tag("full")
@Tag("B11")
class LateFailuresIT {
    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final int MESSAGES = 24;
    private static final int BAD = 8;
    private static final int MOST_CALLS = 5;
    private static final Duration LONGER_LIMIT = Duration.ofSeconds(2);
    private static final int SLOW = 25;

    private final Map<String, Integer> calls = new ConcurrentHashMap<>();

    static Stream<Arguments> servers() {
        // MariaDB's limit has whole seconds: there the transaction of one that returns is still its own.
        return Stream.concat(
                PostgresServers.all()
                        .limit(1)
                        .flatMap(server -> Stream.of(false, true).map(returns -> Arguments.of(server, returns))),
                MariaDbServers.all().limit(1).map(server -> Arguments.of(server, false)));
    }

    private static boolean isBad(String payload) {
        return Integer.parseInt(payload) % (MESSAGES / BAD) == 2;
    }

    private Inbox<JdbcContext> inbox(Workshop workshop, boolean returns) {
        return Inbox.builder("late " + UUID.randomUUID(), JdbcStore.create(workshop.dataSource()))
                .workPartitions(1)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    calls.merge(payload, 1, Integer::sum);
                    if (isBad(payload)) {
                        boolean answered = new CountDownLatch(1).await(2 * LIMIT.toMillis(), TimeUnit.MILLISECONDS);
                        if (!returns) {
                            throw new IllegalStateException("answered: " + answered);
                        }
                    }
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                })
                .handlerTimeout(LIMIT)
                .retry(RetryPolicy.never())
                .build();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void manyOfABatchDoNotRunTheOthersAgainForEachOfThem(DatabaseServer server, boolean returns) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, returns);
            List<Message> messages = numbered(MESSAGES);

            inbox.process(messages);
            inbox.work();

            assertThat(workshop.askAll("SELECT text FROM effect"))
                    .containsExactlyInAnyOrderElementsOf(messages.stream()
                            .map(message -> new String(message.payload(), UTF_8))
                            .filter(id -> !isBad(id))
                            .toList());
            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter"))
                    .hasSize(BAD)
                    .containsOnly("RETRIES_EXHAUSTED");
            assertThat(calls.values()).allMatch(times -> times <= MOST_CALLS, "" + calls);
        }
    }

    /** Together they take longer than a transaction may be idle; none of them comes by the database by itself. */
    private void deferSlowly(String payload, JdbcContext context) throws InterruptedException {
        calls.merge(payload, 1, Integer::sum);
        if (new CountDownLatch(1).await(150, TimeUnit.MILLISECONDS)) {
            throw new AssertionError("nobody counts it down");
        }
        context.defer("INSERT INTO effect (text) VALUES (?)", payload);
    }

    private static List<Message> numbered(int messages) {
        return IntStream.range(0, messages)
                .mapToObj(i -> Message.builder("notes")
                        .id("" + i)
                        .type("note")
                        .payload("" + i)
                        .build())
                .toList();
    }

    static Stream<DatabaseServer> databases() {
        return Stream.concat(
                PostgresServers.all().limit(1), MariaDbServers.all().limit(1));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void handlersThatOnlyDeferRunOnceThoughTogetherTheyTakeLongerThanOneMay(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = Inbox.builder("slow", JdbcStore.create(workshop.dataSource()))
                    .handle("note", PayloadDecoder.text(), this::deferSlowly)
                    .handlerTimeout(LONGER_LIMIT)
                    .build();
            inbox.process(numbered(SLOW));

            assertThat(calls).hasSize(SLOW);
            assertThat(calls.values()).containsOnly(1);
            assertThat(workshop.ask("SELECT count(*) FROM effect")).isEqualTo("" + SLOW);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theSameInAReplay(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            ReplayProgress run = replayed(workshop, SLOW, LONGER_LIMIT, this::deferSlowly);

            assertThat(run.state()).isEqualTo(ReplayState.FINISHED);
            assertThat(calls).hasSize(SLOW);
            assertThat(calls.values()).containsOnly(1);
            assertThat(workshop.ask("SELECT count(*) FROM effect")).isEqualTo("" + SLOW);
        }
    }

    private static ReplayProgress replayed(
            Workshop workshop, int messages, Duration limit, Handler<String, JdbcContext> handler) {
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        Inbox.builder("seen", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build()
                .process(numbered(messages));
        return Replay.builder("again", "seen", store, new Author("ann", "a projection anew"))
                .into(PayloadDecoder.text(), handler)
                .handlerTimeout(limit)
                .skipFailures()
                .build()
                .run();
    }

    /** The database has ended the transaction by the time at which it fails. */
    @ParameterizedTest
    @MethodSource("databases")
    void oneOfAReplayDoesNotRunTheOthersAgainAndAgain(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            ReplayProgress run = replayed(workshop, MESSAGES, LIMIT, (payload, context) -> {
                calls.merge(payload, 1, Integer::sum);
                if (payload.equals("12")) {
                    boolean answered = new CountDownLatch(1).await(4 * LIMIT.toMillis(), TimeUnit.MILLISECONDS);
                    throw new IllegalStateException("answered: " + answered);
                }
                context.defer("INSERT INTO effect (text) VALUES (?)", payload);
            });

            assertThat(run.state()).isEqualTo(ReplayState.FINISHED);
            assertThat(run.skipped()).isEqualTo(1);
            assertThat(workshop.ask("SELECT count(*) FROM effect")).isEqualTo("" + (MESSAGES - 1));
            assertThat(calls.values()).allMatch(times -> times <= MOST_CALLS, "" + calls);
        }
    }

    private static void beAway(long millis) throws InterruptedException {
        if (new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)) {
            throw new AssertionError("nobody counts it down");
        }
    }

    /** The database ends the transaction in the second handler; neither was away for as long as it may be. */
    @ParameterizedTest
    @MethodSource("databases")
    void oneThatMeetsTheEndOfATransactionInWhichAnotherWasAwayIsNotBlamed(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = inbox(store, LONGER_LIMIT, (payload, context) -> {
                calls.merge(payload, 1, Integer::sum);
                if (payload.equals("0")) {
                    beAway(450);
                    return;
                }
                beAway(1_650);
                try {
                    SessionLab.execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                } catch (SQLException e) {
                    throw new IllegalStateException("not written");
                }
            });
            assertThat(SessionLab.kinds(inbox.process(numbered(2)))).containsOnly(Outcome.Kind.PROCESSED);
            assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1");
        }
    }

    private static Inbox<JdbcContext> inbox(JdbcStore store, Duration limit, Handler<String, JdbcContext> handler) {
        return Inbox.builder("own exceptions", store)
                .handle("note", PayloadDecoder.text(), handler)
                .handlerTimeout(limit)
                .retry(RetryPolicy.never())
                .build();
    }

    /** As in a failover, where the handler throws an exception of its own without the one that it met. */
    @ParameterizedTest
    @MethodSource("databases")
    void oneThatMeetsALostConnectionIsNotBlamed(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = inbox(store, LONGER_LIMIT, (payload, context) -> {
                if (calls.merge(payload, 1, Integer::sum) == 1 && payload.equals("1")) {
                    end(workshop, context);
                }
                try {
                    SessionLab.execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                } catch (SQLException e) {
                    throw new IllegalStateException("not written");
                }
            });
            assertThat(SessionLab.kinds(inbox.process(numbered(3)))).containsOnly(Outcome.Kind.PROCESSED);
            assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("0", "1", "2");
        }
    }

    private static void end(Workshop workshop, JdbcContext context) throws SQLException {
        boolean postgres = workshop.server() instanceof PostgresServer;
        String session =
                SessionLab.ask(context.connection(), postgres ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()");
        workshop.execute(postgres ? "SELECT pg_terminate_backend(" + session + ")" : "KILL " + session);
    }

    /** It is interrupted after ten times the limit; the others are known to fail by then. */
    @ParameterizedTest
    @MethodSource("databases")
    void failuresThatAreFoundBesideATimeoutAreCounted(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = inbox(store, LIMIT, (payload, context) -> {
                calls.merge(payload, 1, Integer::sum);
                switch (payload) {
                    case "0", "1" -> throw new IllegalStateException("no");
                    case "2" -> beAway(60_000);
                    default -> SessionLab.execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                }
            });
            try (Node node = Node.builder(store).inbox(inbox).workers(0).build()) {
                node.start();
                assertThat(SessionLab.kinds(inbox.process(numbered(4))).get(2)).isEqualTo(Outcome.Kind.DEAD);
            }
            inbox.work();

            assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("3");
            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter"))
                    .hasSize(3)
                    .containsOnly("RETRIES_EXHAUSTED");
            assertThat(calls.values()).allMatch(times -> times <= MOST_CALLS, "" + calls);
        }
    }

    /** It uses the database all the time, so that its transaction lives. */
    @ParameterizedTest
    @MethodSource("databases")
    void oneThatReturnsTooLateIsNotGivenTheRefusedWriteOfAnother(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE booking (id VARCHAR(20) PRIMARY KEY)");
            workshop.execute("INSERT INTO booking (id) VALUES ('known')");
            String sleep = server instanceof PostgresServer ? "SELECT pg_sleep(0.1)" : "SELECT SLEEP(0.1)";
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder("bookings", store)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        while (payload.equals("long") && !Thread.currentThread().isInterrupted()) {
                            SessionLab.ask(context.connection(), sleep);
                        }
                        context.defer("INSERT INTO booking (id) VALUES (?)", payload);
                    })
                    .handlerTimeout(LIMIT)
                    .retry(RetryPolicy.never().when(LateFailuresIT::isKnownAlready, Reaction.IGNORE))
                    .build();
            try (Node node = Node.builder(store).inbox(inbox).workers(0).build()) {
                node.start();
                inbox.process(SessionLab.messages("long", "known", "other"));
            }
            inbox.work();

            assertThat(workshop.askAll("SELECT id FROM booking ORDER BY id")).containsExactly("known", "long", "other");
            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).isEmpty();
        }
    }

    private static boolean isKnownAlready(Throwable failure) {
        return failure instanceof SQLException e && e.getSQLState().startsWith("23");
    }

    static Stream<DatabaseServer> all() {
        return Stream.concat(databases(), Stream.of(H2Server.FILES));
    }

    /** Away until the interrupt, and then as if nothing had been: the store gives the transaction up, where the database does not. */
    @ParameterizedTest
    @MethodSource("all")
    void oneThatReturnsTooLateIsCalledOnceForAnAttemptAndNoOtherWaitsBehindIt(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = inbox(store, LIMIT, (payload, context) -> {
                calls.merge(payload, 1, Integer::sum);
                try {
                    beAway(60_000);
                } catch (InterruptedException e) {
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                }
            });
            List<Outcome.Kind> kinds;
            try (Node node = Node.builder(store).inbox(inbox).workers(0).build()) {
                node.start();
                kinds = SessionLab.kinds(inbox.process(numbered(3)));
            }
            assertThat(kinds).containsExactly(Outcome.Kind.DEAD, Outcome.Kind.RECEIVED, Outcome.Kind.RECEIVED);
            assertThat(calls).containsOnly(Map.entry("0", 1));
            assertThat(workshop.ask("SELECT detail FROM inbox_dead_letter")).contains("handlerTimeout");
        }
    }

    /** The transaction lives, and another database is away. */
    @ParameterizedTest
    @MethodSource("databases")
    void oneThatReturnsTooLateIsNotGivenTheOutageOfAnotherDatabase(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            String sleep = server instanceof PostgresServer ? "SELECT pg_sleep(0.1)" : "SELECT SLEEP(0.1)";
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = inbox(store, LIMIT, (payload, context) -> {
                int call = calls.merge(payload, 1, Integer::sum);
                while (payload.equals("0")
                        && call == 1
                        && !Thread.currentThread().isInterrupted()) {
                    SessionLab.ask(context.connection(), sleep);
                }
                if (payload.equals("1") && call == 1) {
                    throw new SQLException("the other database is away", "08001");
                }
                context.defer("INSERT INTO effect (text) VALUES (?)", payload);
            });
            try (Node node = Node.builder(store).inbox(inbox).workers(0).build()) {
                node.start();
                inbox.process(numbered(3));
            }
            inbox.work();
            assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("0", "1", "2");
        }
    }

    /** On PostgreSQL it aborts the transaction; elsewhere it may have cost locks. The next one does not say what it met. */
    @ParameterizedTest
    @MethodSource("all")
    void oneThatMeetsAnErrorThatAnotherHasHiddenIsNotBlamed(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema();
                Connection other = workshop.dataSource().getConnection()) {
            workshop.execute("INSERT INTO effect (text) VALUES ('locked')");
            other.setAutoCommit(false);
            SessionLab.ask(other, "SELECT text FROM effect WHERE text = 'locked' FOR UPDATE");
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = inbox(store, LONGER_LIMIT, (payload, context) -> {
                int call = calls.merge(payload, 1, Integer::sum);
                if (payload.equals("0") && call == 1) {
                    hide(context, other);
                } else if (!payload.equals("0")) {
                    writeAndHide(context, payload);
                }
            });
            assertThat(SessionLab.kinds(inbox.process(numbered(3)))).containsOnly(Outcome.Kind.PROCESSED);
            assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1", "2", "locked");
        }
    }

    private static void hide(JdbcContext context, Connection other) throws SQLException {
        try {
            SessionLab.ask(context.connection(), "SELECT text FROM effect WHERE text = 'locked' FOR UPDATE NOWAIT");
            throw new AssertionError("it was not locked");
        } catch (SQLException e) {
            other.rollback();
        }
    }

    private static void writeAndHide(JdbcContext context, String payload) {
        try {
            SessionLab.execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
        } catch (Exception e) {
            throw new IllegalStateException("not written");
        }
    }
}
