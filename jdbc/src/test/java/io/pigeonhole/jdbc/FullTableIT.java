package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ReplayProgress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The disk of one table is full, be it a handler's own or the history; the inbox's other tables take writes. */
@Tag("full")
@ParameterizedClass
@MethodSource("servers")
@Tag("A4")
class FullTableIT {
    private static final int MESSAGES = 40;

    private final DatabaseServer server;

    FullTableIT(DatabaseServer server) {
        this.server = server;
    }

    static Stream<DatabaseServer> servers() {
        return Stream.concat(PostgresServers.all().limit(1), MariaDbServers.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"done", "inbox_history"})
    void messagesThatNeedItWaitWithoutAnAttemptAndSucceedOnceThereIsRoom(String table) throws Exception {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, false);
            List<Message> before = messages(0, "note");
            assertThat(kinds(inbox.process(before))).containsOnly(Kind.PROCESSED);
            fillDisk(workshop, table);

            assertThat(kinds(inbox.process(messages(MESSAGES, "note")))).containsOnly(Kind.RECEIVED);
            assertThat(inbox.work()).isPositive();
            assertThat(workshop.askAll("SELECT attempts FROM inbox_work"))
                    .hasSize(MESSAGES)
                    .containsOnly("0");
            assertThat(workshop.ask("SELECT max(last_error) FROM inbox_work")).contains("No space left");
            assertThat(workshop.askAll("SELECT message FROM inbox_attempt")).isEmpty();

            workshop.execute(drop(table));
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                inbox.work();
                return workshop.askAll("SELECT id FROM inbox_work").isEmpty();
            });
            assertThat(workshop.askAll("SELECT id FROM done")).hasSize(2 * MESSAGES);
            assertThat(workshop.askAll("SELECT detail FROM inbox_dead_letter")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messagesThatNeedAnotherTableGoOn(boolean direct) throws Exception {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, direct);
            fillDisk(workshop, "done");

            List<Message> mixed = Stream.concat(messages(0, "note").stream(), messages(MESSAGES, "other").stream())
                    .toList();
            List<Kind> kinds = kinds(inbox.process(mixed));

            assertThat(kinds.subList(0, MESSAGES)).containsOnly(Kind.RECEIVED);
            assertThat(kinds.subList(MESSAGES, 2 * MESSAGES)).containsOnly(Kind.PROCESSED);
            assertThat(workshop.askAll("SELECT id FROM others")).hasSize(MESSAGES);
        }
    }

    @Test
    void messageThatNeedsMoreRoomThanThereIsForTwelveHoursHasFailed() throws Exception {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, true);
            fillDisk(workshop, "done");
            assertThat(kinds(inbox.process(messages(0, "note")))).containsOnly(Kind.RECEIVED);
            workshop.execute("UPDATE inbox_work SET retry_since = retry_since - "
                    + (server instanceof PostgresServer ? "interval '13 hours'" : "INTERVAL 13 HOUR"));

            inbox.work();

            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter"))
                    .hasSize(MESSAGES)
                    .containsOnly("RETRIES_EXHAUSTED");
        }
    }

    @Test
    void fullDiskOfAnotherDatabaseIsAFailureAlsoBehindOneThatAHandlerHides() throws Exception {
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE cache (id varchar(100) NOT NULL)");
            fillDisk(workshop, "cache");
            Inbox<JdbcContext> inbox = Inbox.builder("full", JdbcStore.create(workshop.dataSource()))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        Connection connection = context.connection();
                        Savepoint before = connection.setSavepoint();
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("INSERT INTO cache VALUES ('" + payload + "')");
                        } catch (SQLException e) {
                            connection.rollback(before);
                        }
                        if (payload.equals("1")) {
                            throw new SQLException("no space on another server", "53100", 1114);
                        }
                    })
                    .build();

            List<Kind> kinds = kinds(inbox.process(messages(0, "note").subList(0, 2)));

            assertThat(kinds).containsExactly(Kind.PROCESSED, Kind.PARKED);
            assertThat(workshop.askAll("SELECT attempts FROM inbox_work")).containsExactly("1");
        }
    }

    @Test
    void frameworksMessagesWaitToo() throws Exception {
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE done (id varchar(100) NOT NULL)");
            ThreadBoundTransactions framework = new ThreadBoundTransactions(workshop.dataSource());
            JdbcStore store = JdbcStore.builder(workshop.dataSource())
                    .transactions(framework)
                    .build();
            Inbox<JdbcContext> inbox = Inbox.builder("full", store)
                    .retry(RetryPolicy.never())
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        try (Statement statement =
                                framework.current().orElseThrow().connection().createStatement()) {
                            statement.execute("INSERT INTO done VALUES ('" + payload + "')");
                        }
                    })
                    .build();
            fillDisk(workshop, "done");

            assertThat(kinds(inbox.process(messages(0, "note")))).containsOnly(Kind.RECEIVED);
        }
    }

    @Test
    void underALeaseTheAttemptCounts() throws Exception {
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE done (id varchar(100) NOT NULL)");
            AtomicInteger calls = new AtomicInteger();
            Inbox<JdbcContext> inbox = Inbox.builder("full", JdbcStore.create(workshop.dataSource()))
                    .retry(RetryPolicy.never())
                    .handleExternal("note", PayloadDecoder.text(), (payload, external) -> {
                        calls.incrementAndGet();
                        return context -> context.defer("INSERT INTO done VALUES (?)", payload);
                    })
                    .build();
            inbox.process(messages(0, "note").subList(0, 1));
            fillDisk(workshop, "done");

            inbox.work();

            assertThat(calls).hasValue(1);
            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).containsExactly("RETRIES_EXHAUSTED");
        }
    }

    @Test
    void errorOfAnEntryOfABatchIsKnownAlsoBehindAnotherOne() throws Exception {
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE done (id varchar(100) NOT NULL)");
            fillDisk(workshop, "done");
            Inbox<JdbcContext> inbox = Inbox.builder("full", JdbcStore.create(workshop.dataSource()))
                    .retry(RetryPolicy.never())
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        Connection connection = context.connection();
                        Savepoint before = connection.setSavepoint();
                        SQLException first = refusedBatch(connection, payload);
                        connection.rollback(before);
                        refusedBatch(connection, payload);
                        throw new IllegalStateException(
                                "translated", first.getNextException() == null ? first : first.getNextException());
                    })
                    .build();

            assertThat(kinds(inbox.process(messages(0, "note").subList(0, 3)))).containsOnly(Kind.RECEIVED);
        }
    }

    private static SQLException refusedBatch(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO done VALUES (?)")) {
            for (int i = 0; i < 2; i++) {
                statement.setString(1, id);
                statement.addBatch();
            }
            statement.executeBatch();
            throw new AssertionError("the table has room");
        } catch (SQLException e) {
            return e;
        }
    }

    @Test
    void replayStopsAndPassesNoMessage() throws Exception {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, false);
            inbox.process(messages(0, "other"));
            fillDisk(workshop, "done");
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Replay<JdbcContext> replay = Replay.builder("again", "full", store, new Author("ann", "a projection anew"))
                    .into(
                            PayloadDecoder.text(),
                            (payload, context) -> context.defer("INSERT INTO done VALUES (?)", payload))
                    .skipFailures()
                    .build();

            assertThatThrownBy(replay::run)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no room");

            workshop.execute(drop("done"));
            ReplayProgress run = replay.run();
            assertThat(run.skipped()).isZero();
            assertThat(workshop.askAll("SELECT id FROM done")).hasSize(MESSAGES);
        }
    }

    private static Inbox<JdbcContext> inbox(Workshop workshop, boolean direct) {
        workshop.execute("CREATE TABLE done (id varchar(100) NOT NULL)");
        workshop.execute("CREATE TABLE others (id varchar(100) NOT NULL)");
        return Inbox.builder("full", JdbcStore.create(workshop.dataSource()))
                .retry(RetryPolicy.never())
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (direct) {
                        try (Statement statement = context.connection().createStatement()) {
                            statement.execute("INSERT INTO done VALUES ('" + payload + "')");
                        }
                    } else {
                        context.defer("INSERT INTO done VALUES (?)", payload);
                    }
                })
                .handle(
                        "other",
                        PayloadDecoder.text(),
                        (payload, context) -> context.defer("INSERT INTO others VALUES (?)", payload))
                .build();
    }

    private void fillDisk(Workshop workshop, String table) {
        if (server instanceof PostgresServer) {
            workshop.execute(
                    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                            + " 'BEGIN RAISE EXCEPTION ''could not extend file: No space left on device'' USING ERRCODE = ''53100''; END'");
        }
        workshop.execute("CREATE TRIGGER disk_is_full BEFORE INSERT ON " + table + " FOR EACH ROW "
                + (server instanceof PostgresServer
                        ? "EXECUTE FUNCTION refuse()"
                        : "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = 'No space left on device'"));
    }

    private String drop(String table) {
        return "DROP TRIGGER disk_is_full" + (server instanceof PostgresServer ? " ON " + table : "");
    }

    private static List<Kind> kinds(List<Outcome> outcomes) {
        return outcomes.stream().map(Outcome::kind).toList();
    }

    private static List<Message> messages(int from, String type) {
        return IntStream.range(from, from + MESSAGES)
                .mapToObj(number -> Message.builder("notes")
                        .id(type + number)
                        .type(type)
                        .payload("" + number)
                        .build())
                .toList();
    }
}
