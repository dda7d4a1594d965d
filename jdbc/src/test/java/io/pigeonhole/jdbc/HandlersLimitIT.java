package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.ask;
import static io.pigeonhole.jdbc.SessionLab.execute;
import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.KeyOrder;
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
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a handler may take holds for a handler: for all that it causes, and for nothing of ours. */
@Tag("B11")
class HandlersLimitIT {
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final long LONGEST_SECONDS = 60;

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all(), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    static Stream<PostgresServer> postgres() {
        return PostgresServers.all().map(PostgresServer.class::cast);
    }

    private static Inbox<JdbcContext> worker(DataSource connections, String question, List<String> answers) {
        return Inbox.builder("limits", JdbcStore.create(connections))
                .order(KeyOrder.PAST_DEAD_LETTERS)
                .lanes(1)
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
    void commitWaitsForADeferredConstraintNoLongerThanAHandlerMay(PostgresServer server) throws Exception {
        try (SessionLab lab = new SessionLab(server.schema(), server.schema());
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

    @ParameterizedTest
    @MethodSource("postgres")
    void threadThatNobodyCanEndKeepsNobodyWaiting(PostgresServer server) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (SessionLab lab = new SessionLab(server.schema(), server.schema())) {
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
