package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.jdbc.dialect.MariaDb;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;
import org.slf4j.LoggerFactory;

/** Modes of a session in which our statements mean something else: they work, or no store is created. */
@Tag("full")
class SessionModesIT {
    private static Message message(String payload) {
        return Message.builder("notes")
                .id(payload)
                .type("note")
                .payload(payload)
                .build();
    }

    private static Inbox<JdbcContext> inbox(DataSource connections) {
        return Inbox.builder("modes", JdbcStore.create(connections))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (payload.equals("fails")) {
                        throw new IllegalStateException("it fails");
                    }
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                })
                .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Oracle", "MSSQLServer", "Strict", "Derby"})
    @Tag("D12")
    void modeOfH2ThatSaysSomethingElseIsRefused(String mode) {
        try (Workshop workshop = H2Server.FILES.schema()) {
            assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource(";MODE=" + mode)))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("MODE")
                    .hasMessageContaining("POSTGRESQL");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ENGLISH STRENGTH PRIMARY", "GERMAN"})
    void collationOfH2InWhichNamesThatDifferMayBeEqualIsRefused(String collation) {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:collation " + collation + ";COLLATION=" + collation);
        for (ThrowingCallable way :
                List.<ThrowingCallable>of(() -> Schema.apply(database), () -> JdbcStore.create(database))) {
            assertThatThrownBy(way)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("collation " + collation);
        }
    }

    /** On PostgreSQL nobody looks at the collation of a column. */
    @Test
    void consumerThatTheDatabaseTakesForAnotherIsRefused() throws SQLException {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            workshop.execute(
                    "CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
            String view = workshop.ask("SELECT pg_get_viewdef('inbox'::regclass)");
            workshop.execute("DROP VIEW inbox");
            workshop.execute("ALTER TABLE inbox_consumer ALTER COLUMN name TYPE text COLLATE any_case");
            workshop.execute("CREATE VIEW inbox AS " + view);
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox.builder("payments", store).build();

            assertThatThrownBy(() -> Inbox.builder("Payments", store).build())
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("takes the consumer 'Payments' for 'payments'");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Legacy", "DB2", "HSQLDB", "MariaDB", "MySQL", "PostgreSQL"})
    void messagesLiveAndDieInOtherModesOfH2(String mode) {
        try (Workshop workshop = H2Server.FILES.schema()) {
            assertThatMessagesLiveAndDie(workshop, workshop.dataSource(";MODE=" + mode));
        }
    }

    private static void assertThatMessagesLiveAndDie(Workshop workshop, DataSource connections) {
        Inbox<JdbcContext> inbox = inbox(connections);
        Message unusable =
                Message.builder("notes").type("note").payload("no id").build();

        List<Outcome> outcomes = inbox.process(List.of(message("a"), message("fails"), unusable));
        inbox.work();

        assertThat(outcomes)
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED, Outcome.Kind.DEAD);
        assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("a");
    }

    /** The driver writes bytes into the text of statements there, as if a backslash meant nothing, and sends each statement by itself. */
    @Test
    @Tag("D8")
    void driverOfPostgresThatSendsNoParametersIsRefused() {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            PGSimpleDataSource connections = (PGSimpleDataSource) workshop.dataSource();
            connections.setOptions("-c standard_conforming_strings=off");
            assertThatMessagesLiveAndDie(workshop, connections);

            connections.setPreferQueryMode(PreferQueryMode.EXTENDED);
            JdbcStore.create(connections);
            connections.setPreferQueryMode(PreferQueryMode.SIMPLE);
            assertThatThrownBy(() -> JdbcStore.create(connections))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("preferQueryMode=simple");
            connections.setOptions("");
            assertThatThrownBy(() -> JdbcStore.create(connections))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("preferQueryMode=simple");
        }
    }

    /** As Apache DBCP's, to who asks for what it is itself. */
    private static Connection answeringItself(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("unwrap") && arguments[0].equals(Connection.class)) {
                        return proxy;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** These need not be made as the connections of the store's data source are. */
    @Test
    @Tag("E16")
    void connectionOfACallerOrAFrameworkThatSendsNoParametersIsRefused() throws SQLException {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            PGSimpleDataSource simple = (PGSimpleDataSource) workshop.dataSource();
            simple.setPreferQueryMode(PreferQueryMode.SIMPLE);
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = Inbox.builder("by hand", store).build();
            try (HikariDataSource pool = new HikariDataSource()) {
                pool.setDataSource(simple);
                pool.setAutoCommit(false);
                try (Connection connection = pool.getConnection()) {
                    Ledger ledger = store.ledger(connection);
                    assertThatThrownBy(
                                    () -> inbox.claim(SessionLab.messages("a").get(0), ledger))
                            .isInstanceOf(ConfigurationException.class)
                            .hasMessageContaining("preferQueryMode=simple");
                    Ledger wrapped = store.ledger(answeringItself(connection));
                    assertThatThrownBy(
                                    () -> inbox.claim(SessionLab.messages("a").get(0), wrapped))
                            .isInstanceOf(ConfigurationException.class)
                            .hasMessageContaining("preferQueryMode=simple");
                }
            }
            JdbcStore ofFramework = JdbcStore.builder(workshop.dataSource())
                    .transactions(new ThreadBoundTransactions(simple))
                    .build();
            Inbox<JdbcContext> handled = Inbox.builder("by framework", ofFramework)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build();
            assertThatThrownBy(() -> handled.process(SessionLab.messages("a")))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("preferQueryMode=simple");
            assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "sql_mode=EMPTY_STRING_IS_NULL, EMPTY_STRING_IS_NULL",
        "character_set_connection=latin1, utf8mb4",
        "collation_connection=utf8mb3_bin, utf8mb4",
        "sql_select_limit=1, sql_select_limit",
        "completion_type=2, completion_type"
    })
    @Tag("D8")
    void sessionOfMariaDbThatWritesSomethingElseIsRefused(String variable, String told) {
        try (Workshop workshop = MariaDbServers.embedded().schema()) {
            DataSource connections = withVariable(workshop, variable);
            assertThatThrownBy(() -> JdbcStore.create(connections))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining(told);
        }
    }

    /** It would execute the claim again and not look at the answer, so that a duplicate takes effect. */
    @Test
    void driverOfMariaDbThatReplaysTransactionsIsRefused() {
        try (Workshop workshop = MariaDbServers.embedded().schema()) {
            DataSource connections = workshop.dataSource("&transactionReplay=true");
            assertThatThrownBy(() -> JdbcStore.create(connections))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("transactionReplay");
        }
    }

    /** Nobody can change it while the server runs: the connection says that it is on. */
    @Test
    @Tag("D8")
    void serverThatRollsBackWhereALockIsNotHadIsWarnedOf() {
        try (Workshop workshop = MariaDbServers.embedded().schema()) {
            var rollback = new ShiftedClock(workshop.dataSource(), "@@global.innodb_rollback_on_timeout", "%d");
            ListAppender<ILoggingEvent> lines = new ListAppender<>();
            lines.start();
            Logger logger = (Logger) LoggerFactory.getLogger(MariaDb.class);
            logger.addAppender(lines);
            try {
                JdbcStore.create(rollback.dataSource());
                assertThat(lines.list).isEmpty();
                rollback.advance(Duration.of(1, ChronoUnit.MICROS));
                JdbcStore.create(rollback.dataSource());
            } finally {
                logger.detachAppender(lines);
            }
            assertThat(lines.list)
                    .singleElement()
                    .satisfies(line ->
                            assertThat(line.getFormattedMessage()).contains("innodb_rollback_on_timeout is ON"));
        }
    }

    @Test
    void messagesLiveAndDieInTheModeOracleOfMariaDb() {
        try (Workshop workshop = MariaDbServers.embedded().schema()) {
            assertThatMessagesLiveAndDie(workshop, withVariable(workshop, "sql_mode='ORACLE'"));
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void schemaIsCreatedInTheModeOracleOfMariaDbAndTheSessionKeepsItsMode(MariaDbServer server) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setMaximumPoolSize(1);
        try (Workshop workshop = server.emptySchema()) {
            config.setDataSource(withVariable(workshop, "sql_mode='ORACLE'"));
            try (HikariDataSource pool = new HikariDataSource(config)) {
                Schema.apply(pool);

                Schema.validate(workshop.dataSource());
                assertThat(mode(pool)).contains("ORACLE");
                workshop.execute(server.createEffects());
                assertThatMessagesLiveAndDie(workshop, pool);
            }
        }
    }

    private static String mode(DataSource connections) throws SQLException {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@sql_mode")) {
            row.next();
            return row.getString(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN NOT ATOMIC COMMIT; END",
                "BEGIN COMMIT; END",
                "DECLARE n INT; BEGIN COMMIT; END",
                "<<here>> BEGIN COMMIT; END",
                "IF 1 = 1 THEN COMMIT; END IF",
                "FOR i IN 1..1 LOOP COMMIT; END LOOP",
                "EXECUTE IMMEDIATE 'COMMIT'",
                "SELECT 1 FROM DUAL; BEGIN COMMIT; END",
                "SELECT 1 AS \"\\\"; COMMIT; -- \"",
                "SELECT '\\'; COMMIT; -- '"
            })
    void noCommitOfAHandlerGetsThroughInTheModeOracleOfMariaDb(String sql) {
        try (Workshop workshop = MariaDbServers.embedded().schema()) {
            DataSource connections =
                    withVariable(workshop, "sql_mode='ORACLE,NO_BACKSLASH_ESCAPES'", "&allowMultiQueries=true");
            Inbox<JdbcContext> inbox = Inbox.builder("modes", JdbcStore.create(connections))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        SessionLab.execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                        SessionLab.execute(context, sql);
                        throw new IllegalStateException("it was executed");
                    })
                    .build();

            assertThat(inbox.process(message("a")).kind()).isEqualTo(Outcome.Kind.PARKED);

            assertThat(workshop.askAll("SELECT text FROM effect")).isEmpty();
            assertThat(workshop.ask("SELECT last_error FROM inbox_work")).contains("may not execute");
        }
    }

    private static DataSource withVariable(Workshop workshop, String variable, String... parameters) {
        return workshop.server()
                .dataSource(
                        workshop.url().replace("time_zone=", variable + ",time_zone=") + String.join("", parameters));
    }
}
