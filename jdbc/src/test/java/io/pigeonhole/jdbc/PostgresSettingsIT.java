package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.execute;
import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Any setting that a handler's SQL names is put back behind the handler, on PostgreSQL. */
@OnEveryServer
class PostgresSettingsIT {
    private static final String ROWS = "SELECT concat(text, ' ', tenant, ' ', zone = setting) FROM doc,"
            + " (SELECT current_setting('TimeZone') AS setting) AS s ORDER BY text";

    private final SessionLab lab;

    PostgresSettingsIT(PostgresServer server) {
        this.lab = new SessionLab(server.schema());
    }

    @BeforeEach
    void createTable() {
        lab.own.execute(
                "CREATE TABLE doc (text text, tenant text DEFAULT concat('[', current_setting('app.tenant', true),"
                        + " ']'), zone text DEFAULT current_setting('TimeZone'))");
    }

    @AfterEach
    void close() {
        lab.close();
    }

    private Inbox<JdbcContext> inbox(String change) {
        return lab.builder((payload, context) -> {
                    if (payload.startsWith("A")) {
                        execute(context, change);
                    }
                    execute(context, "INSERT INTO doc (text) VALUES ('" + payload + "')");
                    if (payload.endsWith("fails")) {
                        throw new IllegalStateException("no " + payload);
                    }
                })
                .build();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET LOCAL app.tenant = 'A'; SET LOCAL TimeZone = 'Asia/Tokyo'",
                "/* as */ SET /* a */ LOCAL app.tenant TO 'A'; SET LOCAL TIME ZONE 'Asia/Tokyo'",
                "SELECT set_config('app.tenant', 'A', true),"
                        + " pg_catalog.set_config ( E'TimeZone' , concat('Asia', '/', 'Tokyo'), TRUE )",
                "DO $$ BEGIN PERFORM set_config('app.tenant', 'A', true); SET LOCAL timezone = 'Asia/Tokyo'; END $$",
                "DO $$ BEGIN EXECUTE 'SELECT set_config(''app.tenant'', ''A'', true)';"
                        + " SET /* of the message */ LOCAL timezone = 'Asia/Tokyo'; END $$"
            })
    void settingIsTheHandlersOnly(String change) throws SQLException {
        assertThat(kinds(inbox(change).process(messages("A 1", "b 1", "A 2", "b 2"))))
                .containsOnly(Kind.PROCESSED);
        assertThat(kinds(inbox(change).process(messages("A 3", "A 4 fails", "b 3"))))
                .containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);

        assertThat(lab.own.askAll(ROWS))
                .containsExactly("A 1 [A] f", "A 2 [A] f", "A 3 [A] f", "b 1 [] t", "b 2 [] t", "b 3 [] t");
        String now = "SELECT concat(current_setting('app.tenant', true), current_setting('TimeZone'))";
        String before = lab.own.ask(now);
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            assertThat(SessionLab.ask(one, now)).isEqualTo(before);
            assertThat(SessionLab.ask(two, now)).isEqualTo(before);
        }
    }

    @Test
    void valueWithQuotesAndBackslashesIsPutBackAsItWas() throws SQLException {
        String value = "it's a \\ \"tenant\" ?";
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            for (Connection each : new Connection[] {one, two}) {
                execute(each, "SELECT set_config('app.tenant', '" + value.replace("'", "''") + "', false)");
            }
        }
        inbox("SET LOCAL app.tenant = 'A'").process(messages("A", "b"));
        assertThat(lab.own.askAll("SELECT tenant FROM doc ORDER BY text")).containsExactly("[A]", "[" + value + "]");
    }

    /** What a setting is when a statement first names it may be such a value. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET LOCAL app.tenant = 'B'",
                "SELECT set_config('app.tenant', 'B', true)",
                "DO $$ BEGIN SET LOCAL app.tenant = 'B'; END $$"
            })
    void valueThatAFunctionHasSetEndsWithItsTransaction(String change) throws SQLException {
        lab.own.execute("CREATE FUNCTION set_tenant(text) RETURNS text LANGUAGE sql AS"
                + " $$ SELECT set_config('app.tenant', $1, true) $$");
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    execute(context, payload.equals("A") ? "SELECT set_tenant('A')" : change);
                    execute(context, "INSERT INTO doc (text) VALUES ('" + payload + "')");
                })
                .build();
        assertThat(kinds(inbox.process(messages("A", "B")))).containsOnly(Kind.PROCESSED);

        assertThat(lab.own.askAll("SELECT tenant FROM doc ORDER BY text")).containsExactly("[A]", "[B]");
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            for (Connection each : new Connection[] {one, two}) {
                assertThat(SessionLab.ask(each, "SELECT coalesce(current_setting('app.tenant', true), '')"))
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Click the link; reset your password",
                "salt &amp; then set the table",
                "SELECT; set_config is a function; set SESSION x",
                "begin reset all"
            })
    void wordsInAValueAreNoSettings(String value) {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    execute(context, "INSERT INTO doc (text) VALUES ('" + value + "')");
                    context.defer("INSERT INTO doc (text) VALUES ('" + value + "')");
                })
                .build();
        assertThat(kinds(inbox.process(messages("A")))).containsExactly(Kind.PROCESSED);
        assertThat(lab.own.askAll("SELECT text FROM doc")).containsExactly(value, value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT set_config('transaction_read_only', 'on', true)",
                "SET LOCAL \"transaction_read_only\" = on"
            })
    void whatTheTransactionMayDoIsNotTheHandlers(String change) {
        assertThat(kinds(inbox(change).process(messages("A", "b")))).containsExactly(Kind.PARKED, Kind.PROCESSED);
    }

    /** What it was in the session cannot be told where the transaction has another value already. */
    @Test
    void settingOfTheWholeSessionIsRefused() {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    for (String sql : new String[] {
                        "SET app.tenant = 'A'",
                        "/* as */ SET /* a */ SESSION app.tenant TO 'A'",
                        "SELECT '--'; /* as */ SET/**/app.tenant TO 'A'",
                        "SET TIME ZONE 'Asia/Tokyo'",
                        "SET NAMES 'UTF8'",
                        "RESET TimeZone",
                        "SELECT set_config('app.tenant', 'A', false)",
                        "SELECT set_config('app.tenant', concat('A', ')'), ?)",
                        "SELECT set_config('app.tenant', 'A', true), set_config('app.zone', ?, false)",
                        "DO $$ BEGIN SET app.tenant = 'A'; END $$",
                        "DO $$ BEGIN IF true THEN RESET app.tenant; END IF; END $$",
                        "DO $$ BEGIN EXECUTE 'SET app.tenant = 1'; END $$",
                        "DO $$ BEGIN EXECUTE 'SELECT set_config(''app.tenant'', ''A'', false)'; END $$",
                        "DO $$ BEGIN SET /* of the message */ SESSION app.tenant = 'A'; END $$"
                    }) {
                        Connection connection = context.connection();
                        assertThatThrownBy(() -> connection.prepareStatement(sql))
                                .as(sql)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("SET LOCAL")
                                .hasMessageContaining(sql);
                    }
                    execute(
                            context,
                            "DO $$ BEGIN UPDATE doc SET text = 'never', zone = 'none' WHERE false; END $$",
                            "SET SESSION statement_timeout = '9s'",
                            "SELECT set_config('lock_timeout', '3s', false)");
                })
                .build();
        List<Outcome> outcomes = inbox.process(messages("one"));
        assertThat(kinds(outcomes)).as("%s", outcomes).containsOnly(Kind.PROCESSED);
    }

    @Test
    void deferredWritesRunInNobodysName() {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    if (payload.startsWith("A")) {
                        execute(context, "SELECT set_config('app.tenant', 'A', true)");
                    }
                    context.deferExpecting(1, "INSERT INTO doc (text) VALUES (?)", payload);
                })
                .build();
        assertThat(kinds(inbox.process(messages("A", "b")))).containsOnly(Kind.PROCESSED);
        assertThat(lab.own.askAll(ROWS)).containsExactly("A [] t", "b [] t");
    }

    @Test
    void settingWhoseNameIsNotToldOrIsOursIsRefused() {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    Connection connection = context.connection();
                    assertThatThrownBy(() -> connection.prepareStatement("SELECT set_config(?, ?, true)"))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("set_config('app.tenant', ?, true)");
                    assertThatThrownBy(() -> execute(context, "SELECT set_config('app.' || 'tenant', 'A', true)"))
                            .isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(() -> execute(context, "SET LOCAL pigeonhole.session = ''"))
                            .isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(() -> connection.setClientInfo("ApplicationName", "A"))
                            .isInstanceOf(IllegalStateException.class);
                    execute(context, "SET search_path TO pigeonhole");
                })
                .build();
        assertThat(kinds(inbox.process(messages("one")))).containsOnly(Kind.PROCESSED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE pg_settings SET setting = 'A' WHERE name = 'app.tenant'",
                "update/* */pg_catalog.\"pg_settings\" SET setting = 'A' WHERE name = 'app.tenant'",
                "WITH u AS (UPDATE pg_settings SET setting = 'A' WHERE name = 'app.tenant' RETURNING 1) SELECT * FROM u",
                "EXPLAIN ANALYZE UPDATE pg_settings SET setting = 'A' WHERE name = 'app.tenant'",
                "SELECT 1; UPDATE pg_settings SET setting = 'A' WHERE name = 'app.tenant'",
                "DO $$ BEGIN UPDATE pg_settings SET setting = 'A' WHERE name = 'app.tenant'; END $$",
                "SELECT \"set_config\"('app.tenant', 'A', false)",
                "SELECT pg_catalog.\"set_config\" ('app.tenant', 'A', ?)",
                "SELECT U&\"set\\005fconfig\"('app.tenant', 'A', false)"
            })
    void settingThatIsWrittenInAnotherWayIsRefused(String sql) {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    Connection connection = context.connection();
                    assertThatThrownBy(() -> connection.prepareStatement(sql))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(sql);
                    assertThatThrownBy(() -> context.defer(sql))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(sql);
                    execute(
                            context,
                            "SELECT setting FROM pg_settings WHERE name = 'app.tenant'",
                            "INSERT INTO doc (text) VALUES ('pg_settings U&\"a\"')",
                            "SELECT \"set_config\"('app.tenant', 'A', true)");
                })
                .build();
        List<Outcome> outcomes = inbox.process(messages("one"));
        assertThat(kinds(outcomes)).as("%s", outcomes).containsOnly(Kind.PROCESSED);
        assertThat(lab.own.askAll("SELECT tenant FROM doc")).containsExactly("[]");
    }
}
