package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.retry.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A session that is lost while a handler works, which hides it. The pool answers each call from then on with an error that has no
 * SQLSTATE.
 */
@ParameterizedClass
@MethodSource("stores")
@Tag("A12")
class HiddenLossIT {
    private final Workshop workshop;
    private final HikariDataSource pool = new HikariDataSource();
    private final ThreadBoundTransactions framework = new ThreadBoundTransactions(pool);
    private final JdbcStore store;
    private final boolean bound;
    private final AtomicBoolean lost = new AtomicBoolean();

    HiddenLossIT(DatabaseServer server, boolean bound) {
        this.bound = bound;
        workshop = server.schema();
        pool.setDataSource(workshop.dataSource());
        pool.setMaximumPoolSize(2);
        JdbcStore.Builder builder = JdbcStore.builder(pool);
        store = (bound ? builder.transactions(framework) : builder).build();
    }

    static Stream<Arguments> stores() {
        return Stream.concat(
                        PostgresServers.all().limit(1), MariaDbServers.all().limit(1))
                .flatMap(server -> Stream.of(Arguments.of(server, false), Arguments.of(server, true)));
    }

    @AfterEach
    void close() {
        pool.close();
        workshop.close();
    }

    private Inbox<JdbcContext> inbox(Handler<String, JdbcContext> handler) {
        return Inbox.builder("it", store)
                .retry(RetryPolicy.never())
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), handler)
                .build();
    }

    private Connection connection(JdbcContext context) {
        return bound ? framework.bound().connection() : context.connection();
    }

    private void write(JdbcContext context, String text) throws SQLException {
        SessionLab.execute(connection(context), "INSERT INTO effect (text) VALUES ('" + text + "')");
    }

    private void loseAndHide(JdbcContext context) throws SQLException {
        Connection connection = connection(context);
        String product = connection.getMetaData().getDatabaseProductName();
        switch (product) {
            case "PostgreSQL" ->
                workshop.execute("SELECT pg_terminate_backend(" + ask(connection, "pg_backend_pid()") + ")");
            case "MariaDB" -> workshop.execute("KILL " + ask(connection, "CONNECTION_ID()"));
            default -> throw new AssertionError(product);
        }
        assertThatThrownBy(() -> write(context, "optional")).isInstanceOf(SQLException.class);
    }

    private static String ask(Connection connection, String expression) throws SQLException {
        return SessionLab.ask(connection, "SELECT " + expression);
    }

    @Test
    void nextMessageIsNotTheOneThatFails() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            write(context, payload);
            if (payload.equals("second") && lost.compareAndSet(false, true)) {
                loseAndHide(context);
            }
        });
        assertThat(kinds(inbox.process(messages("first", "second", "third")))).containsOnly(Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY place"))
                .containsExactly("first", "second", "third");
    }

    @Test
    void messageWhoseHandlerLosesItEachTimeFailsAndTheOthersCommit() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            write(context, payload);
            if (payload.equals("second")) {
                loseAndHide(context);
            }
        });
        assertThat(kinds(inbox.process(messages("first", "second", "third"))))
                .containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("first", "third");
    }

    @Test
    void whatIsDeferredBehindItIsNotWhatFails() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            if (payload.equals("second") && lost.compareAndSet(false, true)) {
                loseAndHide(context);
            }
            context.defer("INSERT INTO effect (text) VALUES (?)", payload);
        });
        assertThat(kinds(inbox.process(messages("first", "second", "third")))).containsOnly(Kind.PROCESSED);
    }

    @Test
    void errorThatSaysNothingOnALostConnectionCostsNoAttempt() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            if (lost.compareAndSet(false, true)) {
                loseAndHide(context);
            }
            write(context, payload);
        });
        assertThat(kinds(inbox.process(messages("only")))).containsExactly(Kind.PROCESSED);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("0");
    }
}
