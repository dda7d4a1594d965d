package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.execute;
import static io.pigeonhole.jdbc.SessionLab.kept;
import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler does to its session on MariaDB and H2 reaches neither our statements nor the next handler. */
@ParameterizedClass
@MethodSource("servers")
@Tag("A1")
class PlainSessionIT {
    private final boolean isH2;
    private final SessionLab lab;
    private final @Nullable Workshop second;
    private final String other;
    private final List<String> states = new ArrayList<>();

    PlainSessionIT(DatabaseServer server) {
        this.isH2 = server instanceof H2Server;
        Workshop own = server.schema();
        if (isH2) {
            own.execute("CREATE SCHEMA other");
            String url = own.url() + ";SCHEMA=OTHER";
            Schema.apply(server.dataSource(url));
            own.execute("CREATE TABLE other.effect (place bigint GENERATED ALWAYS AS IDENTITY, text varchar)");
        }
        this.second = isH2 ? null : server.schema();
        this.lab = new SessionLab(own);
        this.other = second == null ? "OTHER" : second.ask("SELECT DATABASE()");
    }

    static Stream<DatabaseServer> servers() {
        return Stream.concat(MariaDbServers.all(), Stream.of(H2Server.FILES));
    }

    @AfterEach
    void close() {
        lab.close();
        if (second != null) {
            second.close();
        }
    }

    private static String state(Connection connection, boolean isH2) throws SQLException {
        return SessionLab.ask(
                connection,
                isH2
                        ? "SELECT CONCAT(SCHEMA(), ' ', LOCK_TIMEOUT())"
                        : "SELECT CONCAT(DATABASE(), ' ', @@sql_mode, ' ', @@time_zone)");
    }

    /** What changes the session where nobody sees it. */
    private String procedure() {
        if (isH2) {
            lab.own.execute("CREATE ALIAS be_patient AS 'boolean bePatient(java.sql.Connection connection)"
                    + " throws java.sql.SQLException {"
                    + " return connection.createStatement().execute(\"SET LOCK_TIMEOUT 4321\"); }'");
            return "CALL be_patient()";
        }
        lab.own.execute("CREATE PROCEDURE go_abroad() SET time_zone = '-07:00'");
        return "CALL go_abroad()";
    }

    private void change(JdbcContext context, String how) throws SQLException {
        Connection connection = context.connection();
        if (how.equals("java") && isH2) {
            connection.setSchema(other);
        } else if (how.equals("java")) {
            connection.setCatalog(other);
        } else if (isH2) {
            execute(connection, "SET SCHEMA " + other, "SET LOCK_TIMEOUT 4321");
        } else {
            execute(connection, "/* a tenant */ USE " + other, "SET sql_mode = ''");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sql", "java"})
    void anotherSchemaMovesNeitherWorkNorLedger(String how) throws SQLException {
        try (Connection connection = lab.pool.getConnection()) {
            states.add(state(connection, isH2));
        }
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    states.add(state(context.connection(), isH2));
                    change(context, how);
                    execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                    context.defer("INSERT INTO effect (text) VALUES (?)", "deferred " + payload);
                    if (payload.startsWith("fail")) {
                        throw new IllegalStateException("no " + payload);
                    }
                })
                .build();
        List<Outcome> outcomes = inbox.process(messages("a", "fail 1", "b", "fail 2", "c"));
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            states.add(state(one, isH2));
            states.add(state(two, isH2));
        }

        assertThat(kinds(outcomes))
                .as("%s", outcomes)
                .containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
        assertThat(kept(lab.own)).containsExactly("2 in inbox_work", "5 in inbox_ledger", "3 in inbox_history");
        for (String table : List.of("inbox_work", "inbox_ledger", "inbox_history")) {
            assertThat(lab.own.ask("SELECT COUNT(*) FROM " + other + "." + table))
                    .isEqualTo("0");
        }
        assertThat(lab.own.askAll("SELECT text FROM " + other + ".effect ORDER BY place"))
                .containsExactly("a", "b", "c");
        assertThat(lab.own.askAll("SELECT text FROM effect ORDER BY place"))
                .containsExactly("deferred a", "deferred b", "deferred c");
        assertThat(states).hasSizeGreaterThan(5).containsOnly(states.get(0));
    }

    /** The one that asks for the connection is not the one that deferred it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("A12")
    void deferredChangeThatAnotherHandlerSendsEndsBeforeItGetsTheConnection(boolean fails) throws SQLException {
        try (Connection connection = lab.pool.getConnection()) {
            states.add(state(connection, isH2));
        }
        String procedure = procedure();
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    if (payload.equals("changes")) {
                        context.defer(procedure);
                        if (fails) {
                            context.deferExpecting(1, "UPDATE effect SET text = 'never' WHERE text = 'nobody'");
                        }
                        return;
                    }
                    states.add(state(context.connection(), isH2));
                })
                .build();
        List<Outcome> outcomes = inbox.process(messages("changes", "asks"));
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            states.add(state(one, isH2));
            states.add(state(two, isH2));
        }

        assertThat(kinds(outcomes))
                .as("%s", outcomes)
                .containsExactly(fails ? Kind.PARKED : Kind.PROCESSED, Kind.PROCESSED);
        assertThat(states).hasSize(4).containsOnly(states.get(0));
    }

    @Test
    void deferredChangeOfTheSessionIsRefused() {
        String column = isH2 ? "\"SET\"" : "`USE`";
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    List<String> changes = isH2
                            ? List.of("SET LOCK_TIMEOUT 4321", "SET SCHEMA " + other, "SET @tenant = 'A'")
                            : List.of(
                                    "SET sql_mode = ''",
                                    "USE " + other,
                                    "SET @tenant = 'A'",
                                    "SET STATEMENT max_statement_time = 9 FOR SET sql_mode = ''");
                    for (String sql : changes) {
                        assertThatThrownBy(() -> context.defer("# a tenant\n".substring(isH2 ? 11 : 0) + sql))
                                .as(sql)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining(sql)
                                .hasMessageContaining("context.connection()");
                    }
                    context.defer("INSERT INTO effect (text) SELECT " + column + " FROM (SELECT '; SET a' AS " + column
                            + ") AS s");
                    if (!isH2) {
                        context.defer(
                                "SET STATEMENT max_statement_time = 9 FOR DELETE FROM effect WHERE text = 'none'");
                    }
                })
                .build();
        List<Outcome> outcomes = inbox.process(messages("a"));
        assertThat(kinds(outcomes)).as("%s", outcomes).containsOnly(Kind.PROCESSED);
        assertThat(lab.own.askAll("SELECT text FROM effect")).containsExactly("; SET a");
    }

    @Test
    void messageUnderALeaseIsFinished() {
        Inbox<JdbcContext> inbox = Inbox.builder(lab.consumer, lab.store)
                .handleExternal(SessionLab.TYPE, PayloadDecoder.text(), (payload, external) -> context -> {
                    change(context, "sql");
                    execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                })
                .build();
        inbox.process(messages("a", "b"));
        while (inbox.work() > 0) {
            states.add("worked");
        }
        assertThat(kept(lab.own)).startsWith("0 in inbox_work", "2 in inbox_ledger");
    }

    @Test
    void callersTransactionClaimsInTheStoresOwnSchema() throws SQLException {
        RegisteredConsumer consumer =
                lab.store.register(new ConsumerRegistration("by hand " + UUID.randomUUID(), IdForm.OPAQUE));
        try (Connection connection = lab.pool.getConnection()) {
            connection.setAutoCommit(false);
            execute(connection, (isH2 ? "SET SCHEMA " : "USE ") + other);
            Ledger ledger = lab.store.ledger(connection);
            Message message = StoreLab.message();
            MessageKey key = consumer.keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
            assertThat(ledger.claim(consumer, key).claimed()).containsExactly(key);
            assertThat(ledger.contains(consumer, key)).isTrue();
            connection.commit();
        }
        assertThat(kept(lab.own)).contains("1 in inbox_ledger");
    }

    @Test
    void upkeepAndAdminWorkOnAConnectionThatLooksElsewhere() throws SQLException {
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            execute(one, (isH2 ? "SET SCHEMA " : "USE ") + other);
            execute(two, (isH2 ? "SET SCHEMA " : "USE ") + other);
        }
        lab.store.register(new ConsumerRegistration("elsewhere " + UUID.randomUUID(), IdForm.OPAQUE));
        lab.store.maintain();
        lab.store.retire();

        assertThat(lab.store.admin().consumers()).hasSize(1);
        assertThat(lab.own.ask("SELECT COUNT(*) FROM inbox_consumer")).isEqualTo("1");
    }
}
