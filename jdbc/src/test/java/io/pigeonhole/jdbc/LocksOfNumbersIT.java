package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.postgresql.PostgresDatabase;
import io.pigeonhole.jdbc.postgresql.PostgresParts;
import io.pigeonhole.jdbc.postgresql.SequenceStatement;
import io.pigeonhole.jdbc.sql.Statements;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** To look at the numbers of rows takes few locks on PostgreSQL, however many days history and ledger have. */
@Tag("D1")
@Tag("D12")
class LocksOfNumbersIT {
    private static final int DAYS = 60;
    private static final int FEW = 60;

    private static final String LOCKS = "SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation"
            + " WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            + " AND (c.relname LIKE 'inbox_history%' OR c.relname LIKE 'inbox_ledger%')"
            + " AND c.relnamespace = CAST(quote_ident(current_schema()) AS regnamespace)"
            + " AND l.pid <> pg_backend_pid()";

    private static final Pattern DAY_OF_LEDGER = Pattern.compile("(?<= on )inbox_ledger_[0-9a-z]+");

    private final Statements inFiles = new Statements(PostgresDatabase.STATEMENTS);
    private final AtomicInteger mostLocks = new AtomicInteger();
    private final List<String> statements = new CopyOnWriteArrayList<>();

    private static Inbox<JdbcContext> inbox(String name, JdbcStore store) {
        return Inbox.builder(name, store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .history(HistoryMode.WITHOUT_PAYLOAD)
                .build();
    }

    private static Message message(String id) {
        return Message.builder("queue").id(id).type("note").payload(id).build();
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void numbersAreLookedAtAndMovedAheadWithTheLocksOfFewDays(PostgresServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store =
                    JdbcStore.builder(workshop.dataSource()).daysAhead(DAYS).build();
            inbox("notes", store).process(message("first"));
            workshop.execute("UPDATE inbox_history SET id = 1000");
            workshop.execute("UPDATE inbox_ledger SET consumer_id = 2000");

            JdbcStore watched = JdbcStore.create(around(DataSource.class, workshop.dataSource(), workshop));
            inbox("others", watched).process(message("second"));

            assertThat(mostLocks).hasValueBetween(1, FEW);
            assertThat(workshop.askAll("SELECT id FROM inbox_history ORDER BY id"))
                    .containsExactly("1000", "1001");
            assertThat(workshop.ask("SELECT id FROM inbox_consumer WHERE name = 'others'"))
                    .isEqualTo("2001");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void numbersAreLookedAtOnceForAllInboxesOfAStore(PostgresServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore watched = JdbcStore.create(around(DataSource.class, workshop.dataSource(), workshop));
            inbox("notes", watched);
            assertThat(statements).anyMatch(sql -> sql.contains("MAX(id)") && sql.contains("inbox_audit"));
            statements.clear();

            inbox("others", watched);
            assertThat(statements)
                    .isNotEmpty()
                    .noneMatch(sql -> sql.contains("MAX(id)") && sql.contains("inbox_audit"));
        }
    }

    /** PostgreSQL may ask the catalog in any order: what the others begin with is no time, and no key. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void partitionsOfOtherTablesAreNoHindrance(PostgresServer server) throws SQLException {
        try (Workshop workshop = server.schema();
                Connection connection = workshop.dataSource().getConnection()) {
            workshop.execute("CREATE TABLE others (name text) PARTITION BY RANGE (name)");
            workshop.execute("CREATE TABLE others_m PARTITION OF others FOR VALUES FROM ('m') TO ('n')");
            for (String join : List.of("nestloop", "hashjoin", "mergejoin")) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("RESET ALL");
                    for (String other : List.of("nestloop", "hashjoin", "mergejoin")) {
                        statement.execute("SET enable_" + other + " = " + join.equals(other));
                    }
                }
                assertThat(PostgresParts.ofHistory(connection, inFiles, "%s %s"))
                        .isNotEmpty();
                assertThat(PostgresParts.ofLedger(connection, inFiles, "%s %s")).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void eachDayOfTheLedgerIsReadOnce(PostgresServer server) throws SQLException {
        try (Workshop workshop = server.schema();
                Connection connection = workshop.dataSource().getConnection()) {
            JdbcStore.builder(workshop.dataSource()).daysAhead(DAYS).build().maintain();

            List<String> read = new ArrayList<>();
            String largest = inFiles.sql(SequenceStatement.LARGEST_CONSUMER_OF_LEDGER_BETWEEN);
            for (String part : PostgresParts.ofLedger(connection, inFiles, largest)) {
                workshop.askAll("EXPLAIN " + part).stream()
                        .map(DAY_OF_LEDGER::matcher)
                        .filter(Matcher::find)
                        .map(Matcher::group)
                        .forEach(read::add);
            }

            assertThat(read).hasSizeGreaterThan(DAYS).doesNotHaveDuplicates().contains("inbox_ledger_digest");
        }
    }

    /** Notes each statement, and the locks that are held right behind it. */
    private <T> T around(Class<T> type, T wrapped, Workshop workshop) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            @Nullable Object answer;
            try {
                answer = method.invoke(wrapped, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("prepareStatement")) {
                statements.add(String.valueOf(arguments[0]));
            }
            if (method.getName().startsWith("execute")) {
                statements.add(arguments == null ? "" : String.valueOf(arguments[0]));
                mostLocks.accumulateAndGet(Integer.parseInt(workshop.ask(LOCKS)), Math::max);
            }
            if (answer instanceof Connection connection) {
                return around(Connection.class, connection, workshop);
            }
            return answer instanceof Statement statement && method.getName().equals("createStatement")
                    ? around(Statement.class, statement, workshop)
                    : answer;
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
