package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A pool of one connection that neither rolls back nor resets what it gets back, and may give each statement a time limit, or keep
 * statements as they are, as drivers do too.
 */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
@Tag("C8")
class CarelessPoolIT {
    private static final int NO_LIMIT = 0;
    private static final int SECONDS = 30;

    private final Workshop workshop;
    private final Connection connection;

    CarelessPoolIT(DatabaseServer server) throws SQLException {
        this.workshop = server.schema();
        this.connection = workshop.dataSource().getConnection();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        workshop.close();
    }

    private DataSource pool(int queryTimeout) {
        return pool(queryTimeout, false);
    }

    private DataSource pool(int queryTimeout, boolean keepsStatements) {
        Map<String, PreparedStatement> kept = new HashMap<>();
        InvocationHandler careless = (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                return null;
            }
            boolean keeps = keepsStatements && method.getName().equals("prepareStatement") && arguments.length == 1;
            if (keeps && kept.containsKey((String) arguments[0])) {
                return unclosed(kept.get((String) arguments[0]));
            }
            Object answer;
            try {
                answer = method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (queryTimeout != NO_LIMIT && answer instanceof Statement statement) {
                statement.setQueryTimeout(queryTimeout);
            }
            if (keeps && answer instanceof PreparedStatement prepared) {
                kept.put((String) arguments[0], prepared);
                return unclosed(prepared);
            }
            return answer;
        };
        Object pooled =
                Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Connection.class}, careless);
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.getName().equals("getConnection") ? pooled : null);
    }

    private static Object unclosed(@Nullable PreparedStatement statement) {
        return Proxy.newProxyInstance(
                CarelessPoolIT.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(statement, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Inbox<JdbcContext> inbox(String name, JdbcStore store, Duration handlerTimeout) {
        return Inbox.builder(name, store)
                .handlerTimeout(handlerTimeout)
                .handle("note", PayloadDecoder.text(), (payload, context) -> insert(context.connection(), payload))
                .build();
    }

    private static void insert(Connection connection, String text) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effect (text) VALUES (?)")) {
            insert.setString(1, text);
            insert.executeUpdate();
        }
    }

    private static Message note(String id) {
        return Message.builder("queue").id(id).type("note").payload(id).build();
    }

    /** As where an exception has left the method of an application that rolls back nothing. */
    private void leaveOpen() throws SQLException {
        connection.setAutoCommit(false);
        insert(connection, "abandoned");
    }

    @Test
    void whatAnApplicationHasLeftUncommittedIsNotCommitted() throws SQLException {
        JdbcStore store = JdbcStore.create(pool(NO_LIMIT));
        Inbox<JdbcContext> inbox = inbox("notes", store, Duration.ofSeconds(30));
        inbox.process(note("1"));

        leaveOpen();
        assertThat(inbox.process(note("2")).kind()).isEqualTo(Outcome.Kind.PROCESSED);
        leaveOpen();
        store.maintain();
        leaveOpen();
        store.probe();
        leaveOpen();
        assertThat(inbox.process(note("1")).kind()).isEqualTo(Outcome.Kind.DUPLICATE);

        connection.rollback();
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1", "2");
    }

    /** The driver says that each statement is committed by itself. */
    @Test
    void whatAnApplicationHasBegunInSqlIsNotCommitted() throws SQLException {
        JdbcStore store = JdbcStore.create(pool(NO_LIMIT));
        Inbox<JdbcContext> inbox = inbox("begun", store, Duration.ofSeconds(30));
        inbox.process(note("1"));

        beginInSql();
        assertThat(inbox.process(note("2")).kind()).isEqualTo(Outcome.Kind.PROCESSED);
        beginInSql();
        store.maintain();
        beginInSql();
        failInSql();
        store.probe();
        beginInSql();
        store.retire();

        connection.setAutoCommit(false);
        connection.rollback();
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1", "2");
    }

    /** On PostgreSQL nothing but a rollback is possible after that. */
    private void failInSql() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT no_such_column FROM effect"))
                    .isInstanceOf(SQLException.class);
        }
    }

    private void beginInSql() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
        }
        insert(connection, "abandoned");
    }

    /** One driver sends the limit as a setting of the session around the statement, and with it goes what the statement has set. */
    @Test
    void limitsOfOneInboxAreNotThoseOfTheNextWhereEachStatementHasALimit() throws SQLException {
        JdbcStore store = JdbcStore.create(pool(SECONDS));
        String before = limits();
        assertThat(inbox("fast", store, Duration.ofSeconds(2))
                        .process(note("1"))
                        .kind())
                .isEqualTo(Outcome.Kind.PROCESSED);
        assertThat(limits()).isEqualTo(before);
        assertThat(inbox("slow", store, Duration.ofSeconds(20))
                        .process(note("2"))
                        .kind())
                .isEqualTo(Outcome.Kind.PROCESSED);
        assertThat(limits()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void batchThatAFailedHandlerHasCollectedIsNotExecutedWithTheNext(boolean closes) {
        JdbcStore store = JdbcStore.create(pool(NO_LIMIT, true));
        AtomicBoolean hasFailed = new AtomicBoolean();
        Inbox<JdbcContext> inbox = Inbox.builder("batches", store)
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    PreparedStatement insert =
                            context.connection().prepareStatement("INSERT INTO effect (text) VALUES (?)");
                    insert.setString(1, payload);
                    insert.addBatch();
                    if (payload.equals("failing") && hasFailed.compareAndSet(false, true)) {
                        if (closes) {
                            insert.close();
                        }
                        throw new IllegalStateException("a service did not answer");
                    }
                    insert.executeBatch();
                    insert.close();
                })
                .build();

        assertThat(inbox.process(List.of(note("failing"), note("1"), note("2"))))
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PARKED, Outcome.Kind.PROCESSED, Outcome.Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1", "2");
        inbox.work();
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1", "2", "failing");
    }

    @Test
    void deferredWriteThatCannotBeSentCostsItsMessageOnly() {
        JdbcStore store = JdbcStore.create(pool(NO_LIMIT, true));
        Inbox<JdbcContext> inbox = Inbox.builder("deferring", store)
                .retry(RetryPolicy.never())
                .handle(
                        "note",
                        PayloadDecoder.text(),
                        (payload, context) -> context.defer(
                                "INSERT INTO effect (text) VALUES (?)", payload.equals("bad") ? new Object() : payload))
                .build();

        assertThat(inbox.process(List.of(note("1"), note("2"), note("bad"), note("3"))))
                .extracting(Outcome::kind)
                .containsExactly(
                        Outcome.Kind.PROCESSED, Outcome.Kind.PROCESSED, Outcome.Kind.DEAD, Outcome.Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1", "2", "3");
    }

    /** On H2 the limit of one statement is that of the connection. */
    @Test
    void questionWhetherTheDatabaseIsThereLeavesNoLimitBehind() throws SQLException {
        JdbcStore store = JdbcStore.create(pool(NO_LIMIT));
        store.probe();
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.getQueryTimeout()).isEqualTo(NO_LIMIT);
        }
    }

    private String limits() throws SQLException {
        String question = "SELECT LOCK_TIMEOUT()";
        if (workshop.server() instanceof PostgresServer) {
            question = "SELECT current_setting('statement_timeout') || current_setting('lock_timeout')";
        } else if (workshop.server() instanceof MariaDbServer) {
            question = "SELECT CONCAT_WS(' ', @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@autocommit)";
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            row.next();
            String limits = row.getString(1);
            return workshop.server() instanceof MariaDbServer ? limits + " " + statementLimit() : limits;
        }
    }

    /** The driver of MariaDB has one for the whole session. */
    private String statementLimit() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION VARIABLES LIKE 'max_statement_time'")) {
            return row.next() ? row.getString(2) : "";
        }
    }
}
