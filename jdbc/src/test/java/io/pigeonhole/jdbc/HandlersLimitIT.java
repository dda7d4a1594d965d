package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.ask;
import static io.pigeonhole.jdbc.SessionLab.execute;
import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.inbox.Reception;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler may take holds for a handler: for all that it causes, and for nothing of ours. */
@Tag("full")
@Tag("B11")
class HandlersLimitIT {
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final long LONGEST_SECONDS = 60;
    private static final String CONSUMER = "limits";

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    static Stream<PostgresServer> postgres() {
        return PostgresServers.all().map(PostgresServer.class::cast);
    }

    private static Inbox<JdbcContext> worker(DataSource connections, String question, List<String> answers) {
        return Inbox.builder(CONSUMER, JdbcStore.create(connections))
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .workPartitions(1)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    answers.add(ask(context.connection(), question));
                    execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                    if (answers.size() == 1) {
                        throw new IllegalStateException("not now");
                    }
                })
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(100))
                .handlerTimeout(LIMIT)
                .build();
    }

    private static Message message() {
        return Message.builder("notes")
                .id("1")
                .type("note")
                .orderingKey("k")
                .payload("x")
                .build();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void handlerThatRunsFromTheStoreHasItsLimit(DatabaseServer server) {
        boolean isH2 = server instanceof H2Server;
        boolean isPostgres = server instanceof PostgresServer;
        String question =
                isPostgres ? "SHOW statement_timeout" : isH2 ? "SELECT 1" : "SELECT ROUND(@@max_statement_time)";
        List<String> answers = new CopyOnWriteArrayList<>();
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = worker(workshop.dataSource(), question, answers);

            assertThat(inbox.process(message()).kind()).isEqualTo(Kind.PARKED);
            inbox.work();

            assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("x");
            assertThat(answers).containsOnly(isPostgres ? "1s" : "1").hasSize(2);
        }
    }

    @ParameterizedTest
    @MethodSource("postgres")
    void searchForWorkMayTakeLongerThanAHandler(PostgresServer server) {
        List<String> answers = new CopyOnWriteArrayList<>();
        try (Workshop workshop = server.schema()) {
            DatabaseClock clock = server.clock(workshop);
            Inbox<JdbcContext> inbox = worker(clock.dataSource(), "SHOW statement_timeout", answers);
            assertThat(inbox.process(message()).kind()).isEqualTo(Kind.PARKED);
            workshop.execute("""
                    CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
                    BEGIN
                        PERFORM pg_sleep(0.45);
                        RETURN pg_catalog.clock_timestamp();
                    END $$""");

            inbox.work();

            assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("x");
        }
    }

    @ParameterizedTest
    @MethodSource("postgres")
    void handlersHaveTheirLimitsAgainBehindAWriteOfOursThatHadNone(PostgresServer server) throws SQLException {
        String limits = "SELECT current_setting('lock_timeout') || ' ' || current_setting('statement_timeout')";
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                Connection connection = lab.claimed(transaction).connection();
                String ofHandlers = ask(connection, limits);
                JdbcTransaction writing = (JdbcTransaction) transaction;

                writing.liftHandlersLimit();
                assertThat(ask(connection, limits)).isNotEqualTo(ofHandlers);
                writing.setHandlersLimit();

                assertThat(ask(connection, limits)).isEqualTo(ofHandlers);
            }
        }
    }

    /** What looks for messages in a transaction in which handlers run, and in which table. */
    private enum Search {
        OF_MESSAGES_TO_LEASE("inbox_work") {
            @Override
            void run(JdbcStore store, RegisteredConsumer consumer, InboxTransaction<JdbcContext> transaction) {
                transaction.lease(consumer, 0, 10, "node", LIMIT);
            }
        },
        OF_EXPIRED_LEASES("inbox_work") {
            @Override
            void run(JdbcStore store, RegisteredConsumer consumer, InboxTransaction<JdbcContext> transaction) {
                transaction.takeExpired(consumer, 10, 1000);
            }
        },
        OF_A_RUN_OVER_THE_HISTORY("inbox_history") {
            @Override
            void prepare(JdbcStore store) {
                store.replays()
                        .create(new ReplayPlan("run", CONSUMER, null, null, null, null, null, false), "ann", "a test");
                store.replays().settle("run");
            }

            @Override
            void run(JdbcStore store, RegisteredConsumer consumer, InboxTransaction<JdbcContext> transaction) {
                transaction.replay().read(transaction.replay().lock("run").orElseThrow(), 10);
            }
        };

        private final String table;

        Search(String table) {
            this.table = table;
        }

        void prepare(JdbcStore store) {}

        abstract void run(JdbcStore store, RegisteredConsumer consumer, InboxTransaction<JdbcContext> transaction);
    }

    static Stream<Arguments> searches() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all())
                .flatMap(servers -> servers)
                .flatMap(server -> Stream.of(Search.values()).map(search -> Arguments.of(server, search)));
    }

    @ParameterizedTest
    @MethodSource("searches")
    void searchThatWaitsLongerThanAHandlerMayIsNotCancelled(DatabaseServer server, Search search) throws Exception {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            RegisteredConsumer consumer = store.register(new ConsumerRegistration(CONSUMER, IdForm.TIME_ORDERED));
            search.prepare(store);
            try (Connection other = workshop.dataSource().getConnection()) {
                other.setAutoCommit(false);
                boolean isPostgres = server instanceof PostgresServer;
                execute(
                        other,
                        isPostgres
                                ? "LOCK TABLE " + search.table + " IN ACCESS EXCLUSIVE MODE"
                                : "LOCK TABLES " + search.table + " WRITE");
                CompletableFuture<Void> searching = CompletableFuture.runAsync(() -> {
                    try (InboxTransaction<JdbcContext> transaction = store.begin(LIMIT)) {
                        search.run(store, consumer, transaction);
                    }
                });
                String waiting = isPostgres
                        ? "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > interval '1.2 s'"
                        : "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()"
                                + " AND state = 'Waiting for table metadata lock' AND time_ms > 1200";
                await().until(() ->
                        searching.isDone() || workshop.askAll(waiting).equals(List.of("1")));
                execute(other, isPostgres ? "ROLLBACK" : "UNLOCK TABLES");

                assertThat(searching).succeedsWithin(Duration.ofSeconds(LONGEST_SECONDS));
            }
        }
    }

    /** Each row takes 0.4 s, so that four of one statement take longer than a handler may, and one does not. */
    private static void writeSlowly(Workshop workshop) {
        if (workshop.server() instanceof PostgresServer) {
            workshop.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$"
                    + " BEGIN PERFORM pg_sleep(0.4); RETURN coalesce(NEW, OLD); END $$");
            workshop.execute(
                    "CREATE TRIGGER slow BEFORE INSERT OR DELETE ON inbox_work FOR EACH ROW EXECUTE FUNCTION slow()");
        } else {
            workshop.execute("CREATE TRIGGER slow BEFORE INSERT ON inbox_work FOR EACH ROW SET @slow = SLEEP(0.4)");
            workshop.execute("CREATE TRIGGER slower BEFORE DELETE ON inbox_work FOR EACH ROW SET @slow = SLEEP(0.4)");
        }
    }

    /** A busy machine may need longer than the user's limit to read the catalog, once. */
    private static JdbcStore created(DataSource connections) {
        return await().ignoreExceptionsInstanceOf(StoreException.class)
                .until(() -> JdbcStore.create(connections), store -> true);
    }

    private static Inbox<JdbcContext> storing(DataSource connections, String question, List<String> answers) {
        return Inbox.builder(CONSUMER, created(connections))
                .reception(Reception.STORE)
                .workPartitions(1)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    answers.add(ask(context.connection(), question));
                })
                .handlerTimeout(LIMIT)
                .build();
    }

    static Stream<DatabaseServer> serversWithALimit() {
        return Stream.concat(PostgresServers.all().limit(1), MariaDbServers.all());
    }

    @ParameterizedTest
    @MethodSource("serversWithALimit")
    void whatTheInboxWritesMayTakeLongerThanAHandler(DatabaseServer server) {
        boolean isPostgres = server instanceof PostgresServer;
        List<String> answers = new CopyOnWriteArrayList<>();
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = storing(
                    workshop.dataSource(),
                    isPostgres ? "SHOW statement_timeout" : "SELECT ROUND(@@max_statement_time)",
                    answers);
            writeSlowly(workshop);

            List<Kind> kinds = kinds(inbox.process(messages("1", "2", "3", "4")));
            inbox.work();

            assertThat(kinds).containsOnly(Kind.RECEIVED).hasSize(4);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("0");
            assertThat(answers)
                    .as("limits of the handlers")
                    .containsOnly(isPostgres ? "1s" : "1")
                    .hasSize(4);
        }
    }

    @ParameterizedTest
    @MethodSource("postgres")
    void whatTakesLongerThanTheSessionsOwnLimitIsWrittenInSmallerPieces(PostgresServer server) {
        List<String> answers = new CopyOnWriteArrayList<>();
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox =
                    storing(workshop.dataSource("&options=-c%20statement_timeout%3D1s"), "SELECT 1", answers);
            writeSlowly(workshop);

            assertThat(kinds(inbox.process(messages("1", "2", "3", "4"))))
                    .containsOnly(Kind.RECEIVED)
                    .hasSize(4);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("4");
        }
    }

    /** Of a session whose user has a limit of his own, which is below what a row takes to be written. */
    private static DataSource limited(Workshop workshop) {
        return workshop.dataSource(
                workshop.server() instanceof PostgresServer
                        ? "&options=-c%20statement_timeout%3D200ms"
                        : "&sessionVariables=max_statement_time=0.2");
    }

    @ParameterizedTest
    @MethodSource("serversWithALimit")
    @Tag("D-limits")
    void limitOfTheUserKeepsNoMessageFromBeingStored(DatabaseServer server) {
        List<String> answers = new CopyOnWriteArrayList<>();
        boolean isPostgres = server instanceof PostgresServer;
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = storing(
                    limited(workshop), isPostgres ? "SHOW statement_timeout" : "SELECT @@max_statement_time", answers);
            writeSlowly(workshop);

            assertThat(kinds(inbox.process(messages("1", "2")))).containsOnly(Kind.RECEIVED);
            inbox.work();
            assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("0");
            assertThat(answers)
                    .as("limits of the handlers")
                    .containsOnly(isPostgres ? "200ms" : "0.200000")
                    .hasSize(2);
        }
    }

    @ParameterizedTest
    @MethodSource("serversWithALimit")
    @Tag("D-limits")
    void limitOfTheUserKeepsNobodyFromMaintainingTheStore(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = created(limited(workshop));
            if (server instanceof PostgresServer) {
                workshop.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$"
                        + " BEGIN PERFORM pg_sleep(0.4); RETURN NEW; END $$");
                workshop.execute(
                        "CREATE TRIGGER slow BEFORE INSERT ON inbox_retention FOR EACH ROW EXECUTE FUNCTION slow()");
            } else {
                workshop.execute(
                        "CREATE TRIGGER slow BEFORE INSERT ON inbox_retention FOR EACH ROW SET @slow = SLEEP(0.4)");
            }
            store.maintain();
            assertThat(workshop.ask("SELECT count(*) FROM inbox_retention")).isEqualTo("5");
        }
    }

    @ParameterizedTest
    @MethodSource("postgres")
    @Tag("D-limits")
    void limitOfTheUserForLocksKeepsNoMessageFromBeingStored(PostgresServer server) throws Exception {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox =
                    storing(workshop.dataSource("&options=-c%20lock_timeout%3D1ms"), "SELECT 1", List.of());
            try (Connection other = workshop.dataSource().getConnection()) {
                other.setAutoCommit(false);
                execute(other, "LOCK TABLE inbox_work IN SHARE MODE");
                CompletableFuture<List<Kind>> storing =
                        CompletableFuture.supplyAsync(() -> kinds(inbox.process(messages("1"))));
                await().until(() -> storing.isDone()
                        || workshop.askAll("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                        + " AND wait_event_type = 'Lock'"
                                        + " AND clock_timestamp() - query_start > interval '0.1 s'")
                                .equals(List.of("1")));
                execute(other, "ROLLBACK");

                assertThat(storing).succeedsWithin(Duration.ofSeconds(LONGEST_SECONDS));
                assertThat(storing.join()).containsExactly(Kind.RECEIVED);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("postgres")
    void commitWaitsForADeferredConstraintNoLongerThanAHandlerMay(PostgresServer server) throws Exception {
        try (SessionLab lab = new SessionLab(server.schema());
                Connection other = lab.own.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            lab.own.execute("CREATE TABLE seat (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)");
            other.setAutoCommit(false);
            statement.executeUpdate("INSERT INTO seat VALUES (1)");
            Inbox<JdbcContext> inbox = lab.builder(
                            (payload, context) -> execute(context, "INSERT INTO seat VALUES (" + payload + ")"))
                    .handlerTimeout(LIMIT)
                    .build();

            List<Kind> kinds = CompletableFuture.supplyAsync(() -> kinds(inbox.process(messages("1", "2"))))
                    .get(LONGEST_SECONDS, TimeUnit.SECONDS);

            assertThat(kinds).containsExactly(Kind.PARKED, Kind.PROCESSED);
            other.rollback();
            assertThat(lab.own.askAll("SELECT id FROM seat")).containsExactly("2");
        }
    }

    /** Inside the JVM only: a backup stops the commits of all databases of a server. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commitThatWaitsForABackupIsNoFailureOfItsMessage(boolean cancelled) throws Exception {
        AtomicBoolean isBackedUp = new AtomicBoolean();
        try (Workshop workshop = MariaDbServers.embedded().schema();
                Connection backup = workshop.dataSource().getConnection()) {
            Inbox<JdbcContext> inbox = Inbox.builder(CONSUMER, JdbcStore.create(workshop.dataSource()))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                        if (!isBackedUp.getAndSet(true)) {
                            execute(backup, "BACKUP STAGE START", "BACKUP STAGE BLOCK_COMMIT");
                        }
                    })
                    .retry(RetryPolicy.never())
                    .handlerTimeout(LIMIT)
                    .build();
            CompletableFuture<Outcome> processing = CompletableFuture.supplyAsync(() -> inbox.process(message()));
            String waiting = "SELECT id FROM information_schema.processlist WHERE db = DATABASE()"
                    + " AND state = 'Waiting for backup lock' AND time_ms > " + (cancelled ? 0 : 1200);
            await().until(() -> processing.isDone() || workshop.askAll(waiting).size() == 1);
            if (cancelled) {
                workshop.askAll(waiting).forEach(id -> workshop.execute("KILL QUERY " + id));
                assertThat(processing)
                        .failsWithin(Duration.ofSeconds(LONGEST_SECONDS))
                        .withThrowableThat()
                        .withCauseInstanceOf(OutcomeUnknownException.class);
            }
            execute(backup, "BACKUP STAGE END");
            if (cancelled) {
                assertThat(workshop.askAll("SELECT text FROM effect")).isEmpty();
                assertThat(inbox.process(message()).kind()).isEqualTo(Kind.PROCESSED);
            } else {
                assertThat(processing)
                        .succeedsWithin(Duration.ofSeconds(LONGEST_SECONDS))
                        .extracting(Outcome::kind)
                        .isEqualTo(Kind.PROCESSED);
            }
            assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("x");
        }
    }

    @ParameterizedTest
    @MethodSource("postgres")
    void threadThatNobodyCanEndKeepsNobodyWaiting(PostgresServer server) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (SessionLab lab = new SessionLab(server.schema())) {
            lab.pool.setMaximumPoolSize(8);
            lab.own.execute("CREATE TABLE doc (bytes bytea)");
            Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                        if (payload.equals("stuck")) {
                            leaveBehind(context.connection(), never);
                        } else {
                            execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                        }
                    })
                    .build();

            List<Kind> kinds = CompletableFuture.supplyAsync(() -> kinds(inbox.process(messages("a", "stuck", "b"))))
                    .get(LONGEST_SECONDS, TimeUnit.SECONDS);

            assertThat(kinds).containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
            assertThat(lab.own.askAll("SELECT text FROM effect")).containsExactlyInAnyOrder("a", "b");
        } finally {
            never.countDown();
        }
    }

    /** A thread in the middle of a call that no cancel ends, since the driver waits for the handler's own stream. */
    private static void leaveBehind(Connection connection, CountDownLatch never) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            try (PreparedStatement statement = connection.prepareStatement("INSERT INTO doc VALUES (?)")) {
                statement.setBinaryStream(
                        1,
                        new InputStream() {
                            @Override
                            public int read() {
                                inside.countDown();
                                try {
                                    never.await();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                                return -1;
                            }

                            @Override
                            public int read(byte[] bytes, int from, int length) {
                                return read();
                            }
                        },
                        1000);
                statement.executeUpdate();
            } catch (SQLException | RuntimeException e) {
                // Nobody looks.
            }
        });
        thread.setDaemon(true);
        thread.start();
        inside.await();
    }
}
