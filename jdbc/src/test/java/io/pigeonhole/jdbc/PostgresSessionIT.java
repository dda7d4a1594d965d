package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.execute;
import static io.pigeonhole.jdbc.SessionLab.kept;
import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WatermarkMovedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler does to its session on PostgreSQL reaches neither our statements nor the next handler. */
@Tag("full")
@OnEveryServer
@Tag("A1")
class PostgresSessionIT {
    private static final String STATE = "SELECT concat_ws(' ', current_user, current_setting('search_path'),"
            + " current_setting('lock_timeout'), current_setting('statement_timeout'))";

    /** On each server a second schema with the tables of an inbox, in which no test may leave anything. */
    private static final Map<PostgresServer, Workshop> OTHERS = new ConcurrentHashMap<>();

    private final PostgresServer server;
    private final Workshop other;
    private final String role = "tenant_" + ProcessHandle.current().pid();
    private final List<String> states = new ArrayList<>();
    private final SessionLab lab;

    PostgresSessionIT(PostgresServer server) {
        this.server = server;
        this.lab = new SessionLab(server.schema());
        this.other = OTHERS.computeIfAbsent(server, DatabaseServer::schema);
        other.execute("DELETE FROM effect");
    }

    @BeforeEach
    void createRole() {
        lab.own.execute("DO $$ BEGIN CREATE ROLE " + role + "; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
        for (Workshop each : List.of(lab.own, other)) {
            each.execute(
                    "DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO " + role + "', current_schema()); END $$");
            each.execute("GRANT SELECT, INSERT ON effect TO " + role);
        }
        lab.own.execute("CREATE FUNCTION become_tenant() RETURNS text LANGUAGE sql AS"
                + " $$ SELECT set_config('role', '" + role + "', true) $$");
        lab.own.execute("CREATE FUNCTION go_elsewhere() RETURNS text LANGUAGE sql AS"
                + " $$ SELECT set_config('search_path', '" + schema(other) + "', true) $$");
    }

    @AfterEach
    void close() {
        lab.own.execute("DROP OWNED BY " + role);
        lab.own.execute("DROP ROLE " + role);
        lab.close();
    }

    private static String schema(Workshop workshop) {
        return workshop.ask("SELECT current_schema()");
    }

    private void assertNothingInTheOther() {
        assertThat(kept(other)).containsExactly("0 in inbox_work", "0 in inbox_ledger", "0 in inbox_history");
    }

    private String elsewhere(String sql) {
        return sql.replace("OTHER", schema(other)).replace("TENANT", role);
    }

    /** The first fails behind its change, the second writes, and fails, and the third writes. */
    private List<Outcome> processed(String change) {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    states.add(SessionLab.ask(context.connection(), STATE));
                    if (change.startsWith("java:")) {
                        context.connection().setSchema(schema(other));
                    } else {
                        execute(context, elsewhere(change));
                    }
                    execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                    if (payload.startsWith("fail")) {
                        throw new IllegalStateException("no " + payload);
                    }
                })
                .build();
        return inbox.process(messages("a", "fail 1", "b", "fail 2", "c"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET LOCAL search_path = OTHER",
                "SET search_path = OTHER",
                "SELECT set_config('search_path', 'OTHER', true)",
                "/* a tenant */ SET LOCAL search_path TO OTHER",
                "DO $$ BEGIN PERFORM set_config('search_path', 'OTHER', false); END $$",
                "SELECT go_elsewhere()",
                "java: setSchema"
            })
    void anotherSearchPathMovesNeitherWorkNorLedger(String change) {
        List<Outcome> outcomes = processed(change);

        assertThat(kinds(outcomes))
                .containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
        assertThat(kept(lab.own)).containsExactly("2 in inbox_work", "5 in inbox_ledger", "3 in inbox_history");
        assertNothingInTheOther();
        assertThat(other.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("a", "b", "c");
        assertThat(lab.own.askAll("SELECT text FROM effect")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET LOCAL ROLE TENANT",
                "SET ROLE TENANT",
                "SET SESSION AUTHORIZATION TENANT",
                "SELECT set_config('role', 'TENANT', true)",
                "SELECT become_tenant()"
            })
    void anotherRoleIsTheHandlersOnly(String change) {
        List<Outcome> outcomes = processed(change);

        assertThat(kinds(outcomes))
                .containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
        assertThat(kept(lab.own)).containsExactly("2 in inbox_work", "5 in inbox_ledger", "3 in inbox_history");
        assertThat(lab.own.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("a", "b", "c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET LOCAL ROLE TENANT; SET LOCAL search_path = OTHER; SET LOCAL statement_timeout = '9s'",
                "SET ROLE TENANT; SET search_path = OTHER; SET lock_timeout = '3s'; SET statement_timeout = '9s'"
            })
    void nextHandlerAndTheNextTransactionFindTheSessionAsItWas(String change) throws SQLException {
        try (Connection connection = lab.pool.getConnection()) {
            states.add(SessionLab.ask(connection, STATE));
        }
        processed(change);
        processed(change);
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            states.add(SessionLab.ask(one, STATE));
            states.add(SessionLab.ask(two, STATE));
        }
        int last = states.size() - 1;
        assertThat(List.of(states.get(last - 1), states.get(last))).containsOnly(states.get(0));
        // The transaction has a limit of its own for statements.
        String inHandlers = states.get(0).replaceFirst("0$", "1min");
        assertThat(states.subList(1, last - 1)).hasSizeGreaterThan(7).containsOnly(inHandlers);
    }

    @Test
    void functionThatChangesTheSessionCostsOneRunMoreAndIsExpectedFromThenOn() {
        List<String> runs = new ArrayList<>();
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    runs.add(payload);
                    states.add(SessionLab.ask(context.connection(), STATE));
                    execute(context, "SELECT become_tenant()");
                    execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                })
                .build();
        assertThat(kinds(inbox.process(messages("a", "b")))).containsOnly(Kind.PROCESSED);
        int first = runs.size();
        states.clear();
        assertThat(kinds(inbox.process(messages("c", "d")))).containsOnly(Kind.PROCESSED);

        assertThat(first).isEqualTo(4);
        assertThat(runs).hasSize(first + 2);
        assertThat(states).hasSize(2).allMatch(state -> state.equals(states.get(0)));
        assertThat(lab.own.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("a", "b", "c", "d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SET LOCAL ROLE TENANT", "SELECT become_tenant()", "SET LOCAL search_path = OTHER"})
    void messageUnderALeaseIsFinished(String change) {
        Inbox<JdbcContext> inbox = Inbox.builder(lab.consumer, lab.store)
                .handleExternal(SessionLab.TYPE, PayloadDecoder.text(), (payload, external) -> context -> {
                    execute(context, elsewhere(change));
                    execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')");
                })
                .build();
        inbox.process(messages("a", "b"));
        while (inbox.work() > 0) {
            states.add("worked");
        }
        assertThat(kept(lab.own)).startsWith("0 in inbox_work", "2 in inbox_ledger");
        assertNothingInTheOther();
    }

    @Test
    void deferredWritesRunInTheSessionAsItWas() {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    execute(context, elsewhere("SET LOCAL ROLE TENANT; SET LOCAL search_path = OTHER"));
                    context.deferExpecting(1, "INSERT INTO effect (text) VALUES (?)", payload);
                    context.defer("DO $$ BEGIN PERFORM go_elsewhere(); END $$");
                })
                .build();
        assertThat(kinds(inbox.process(messages("a", "b")))).containsOnly(Kind.PROCESSED);
        assertThat(lab.own.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("a", "b");
        assertNothingInTheOther();
    }

    @Test
    void deferredChangeOfTheSessionIsRefused() {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    for (String sql : List.of(
                            "SET LOCAL search_path = OTHER",
                            "-- a tenant\nSET ROLE TENANT",
                            "SELECT 1; RESET ROLE",
                            "SELECT set_config('app.tenant', ?, true)",
                            "DO $$ BEGIN SET LOCAL search_path = OTHER; END $$")) {
                        assertThatThrownBy(() -> context.defer(elsewhere(sql), payload))
                                .as(sql)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining(elsewhere(sql).replace('\n', ' '))
                                .hasMessageContaining("context.connection()");
                    }
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                })
                .build();
        assertThat(kinds(inbox.process(messages("a")))).containsOnly(Kind.PROCESSED);
        assertThat(lab.own.askAll("SELECT text FROM effect")).containsExactly("a");
    }

    /** Nobody can read how constraints were checked before, so that it cannot be put back behind the handler. */
    @Test
    void whenConstraintsAreCheckedIsTheSameForAllHandlersOfABatch() {
        lab.own.execute("CREATE TABLE parent (id text PRIMARY KEY)");
        lab.own.execute("CREATE TABLE child (id text REFERENCES parent DEFERRABLE INITIALLY DEFERRED)");
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    switch (payload) {
                        case "sets" -> execute(context, "SET CONSTRAINTS ALL IMMEDIATE");
                        case "defers" -> context.defer("SET CONSTRAINTS ALL IMMEDIATE");
                        case "hides" -> execute(context, "DO $$ BEGIN SET CONSTRAINTS ALL IMMEDIATE; END $$");
                        default ->
                            execute(
                                    context,
                                    "INSERT INTO child VALUES ('" + payload + "')",
                                    "INSERT INTO parent VALUES ('" + payload + "')");
                    }
                })
                .build();
        assertThat(kinds(inbox.process(messages("sets", "a", "defers", "b", "hides", "c"))))
                .containsExactly(Kind.PARKED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
        assertThat(lab.own.askAll("SELECT id FROM child ORDER BY id")).containsExactly("a", "b", "c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PREPARE find AS SELECT 1",
                "LISTEN news",
                "DECLARE held CURSOR WITH HOLD FOR SELECT 1",
                "SET CONSTRAINTS ALL IMMEDIATE"
            })
    void whatWouldOutliveTheHandlerIsRefusedWithWhatToDoInstead(String sql) {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    assertThatThrownBy(() -> execute(context, sql))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(sql)
                            .hasMessageContaining("PreparedStatement of JDBC instead of PREPARE")
                            .hasMessageContaining("INITIALLY DEFERRED");
                    execute(
                            context,
                            "NOTIFY news, 'a'",
                            "DECLARE c CURSOR FOR SELECT 1",
                            "INSERT INTO effect (text) VALUES ('" + payload + "')");
                })
                .build();
        assertThat(kinds(inbox.process(messages("a")))).containsOnly(Kind.PROCESSED);
        assertThat(lab.own.askAll("SELECT text FROM effect")).containsExactly("a");
    }

    /** It would hold for its writes, which are sent in the same flush. */
    @Test
    void deferredChangeOfTheSessionCostsItsOwnMessageAndNoOther() {
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    if (payload.equals("changes")) {
                        context.defer(elsewhere("SET LOCAL search_path = OTHER"));
                    }
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                })
                .build();
        assertThat(kinds(inbox.process(messages("changes", "a")))).containsExactly(Kind.PARKED, Kind.PROCESSED);
        assertThat(lab.own.askAll("SELECT text FROM effect")).containsExactly("a");
        assertThat(other.askAll("SELECT text FROM effect")).isEmpty();
    }

    private void createDeferredTrigger(String body) {
        lab.own.execute("CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + elsewhere(body)
                + "; RETURN NULL; END $$");
        lab.own.execute("CREATE CONSTRAINT TRIGGER change AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION change()");
    }

    /** It runs at the commit, behind everything that is put back there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PERFORM set_config('search_path', 'OTHER', true)",
                "SET LOCAL ROLE TENANT",
                "SET synchronous_commit = off",
                "SET LOCAL statement_timeout = '9s'"
            })
    void deferredTriggerThatChangesTheSessionKeepsNoMessage(String change) throws SQLException {
        createDeferredTrigger(change);
        String now =
                "SELECT concat_ws(',', session_user, current_user, current_setting('role'), current_setting('search_path'),"
                        + " current_setting('row_security'), current_setting('statement_timeout'), current_setting('lock_timeout'),"
                        + " current_setting('synchronous_commit'), current_setting('idle_in_transaction_session_timeout'))";
        try (Connection connection = lab.pool.getConnection()) {
            states.add(SessionLab.ask(connection, now));
        }
        List<String> runs = new ArrayList<>();
        Inbox<JdbcContext> inbox = lab.builder((payload, context) -> {
                    runs.add(payload);
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                })
                .build();
        assertThat(kinds(inbox.process(messages("a", "b")))).containsOnly(Kind.PROCESSED);
        int first = runs.size();
        assertThat(kinds(inbox.process(messages("c", "d")))).containsOnly(Kind.PROCESSED);

        assertThat(runs).hasSize(first + 2);
        assertThat(lab.own.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("a", "b", "c", "d");
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            states.add(SessionLab.ask(one, now));
            states.add(SessionLab.ask(two, now));
        }
        assertThat(states).containsOnly(states.get(0));
    }

    /** These states were taken for those of the commit's proof. */
    @ParameterizedTest
    @ValueSource(strings = {"42602", "42P01", "3F000", "42501"})
    void errorOfADeferredTriggerIsItsMessagesOwn(String state) {
        lab.own.execute(
                "CREATE FUNCTION check_text() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.text = 'bad' THEN"
                        + " RAISE EXCEPTION 'not this one' USING ERRCODE = '" + state
                        + "'; END IF; RETURN NULL; END $$");
        lab.own.execute("CREATE CONSTRAINT TRIGGER check_text AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION check_text()");
        Inbox<JdbcContext> inbox = lab.builder(
                        (payload, context) -> execute(context, "INSERT INTO effect (text) VALUES ('" + payload + "')"))
                .build();

        assertThat(kinds(inbox.process(messages("good", "bad")))).containsExactly(Kind.PROCESSED, Kind.PARKED);

        assertThat(lab.own.askAll("SELECT text FROM effect")).containsExactly("good");
        assertThat(lab.own.ask("SELECT last_error FROM inbox_work")).contains("not this one");
    }

    @ParameterizedTest
    @ValueSource(strings = {"42602", "42P01", "3F000", "42501", "2201G", "22P02"})
    void errorOfADeferredTriggerMovesNoWatermarkAndSaysWhatItIs(String state) {
        createDeferredTrigger("RAISE EXCEPTION 'not this one' USING ERRCODE = '" + state + "'");
        RegisteredConsumer consumer = lab.store.register(new ConsumerRegistration(
                "log " + UUID.randomUUID(), IdForm.OPAQUE, KeyOrder.NONE, 1, Deduplication.WATERMARKS));
        LogPartition partition = new LogPartition("notes", 0);
        lab.store.acquire(consumer, partition, "log:triggers");

        assertThatThrownBy(() -> advance(consumer, partition))
                .isInstanceOf(StoreException.class)
                .isNotInstanceOf(WatermarkMovedException.class)
                .hasMessageContaining("not this one");

        assertThat(lab.store.acquire(consumer, partition, "log:triggers").position())
                .isEqualTo(-1);
    }

    @Test
    void deferredTriggerThatTakesARoleStopsAWatermarkOnceOnly() {
        createDeferredTrigger("SET LOCAL ROLE TENANT");
        RegisteredConsumer consumer = lab.store.register(new ConsumerRegistration(
                "log " + UUID.randomUUID(), IdForm.OPAQUE, KeyOrder.NONE, 1, Deduplication.WATERMARKS));
        LogPartition partition = new LogPartition("notes", 0);
        lab.store.acquire(consumer, partition, "log:triggers");

        assertThatThrownBy(() -> advance(consumer, partition))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the session is put back");
        advance(consumer, partition);

        assertThat(lab.store.acquire(consumer, partition, "log:triggers").position())
                .isEqualTo(5);
        assertThat(lab.own.askAll("SELECT text FROM effect")).containsExactly("deferred");
    }

    private void advance(RegisteredConsumer consumer, LogPartition partition) {
        Message message = StoreLab.message();
        MessageKey key = consumer.keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
        try (InboxTransaction<JdbcContext> transaction = lab.store.begin(StoreLab.IDLE_LIMIT)) {
            Watermark read =
                    transaction.watermarks(consumer, List.of(partition)).get(0);
            transaction.context(consumer, key, message, 1).defer("INSERT INTO effect (text) VALUES (?)", "deferred");
            transaction.endContexts();
            transaction.advance(consumer, List.of(new Advance(read, 5, 1)));
            transaction.commit();
        }
    }

    /** The other schema has tables of the same names, the catalog has none. */
    @ParameterizedTest
    @ValueSource(strings = {"OTHER", "pg_catalog"})
    void callersTransactionClaimsInTheStoresOwnSchema(String path) throws SQLException {
        RegisteredConsumer consumer =
                lab.store.register(new ConsumerRegistration("by hand " + UUID.randomUUID(), IdForm.OPAQUE));
        try (Connection connection = lab.pool.getConnection()) {
            connection.setAutoCommit(false);
            execute(connection, elsewhere("SET LOCAL search_path = " + path));
            Ledger ledger = lab.store.ledger(connection);
            Message message = StoreLab.message();
            MessageKey key = consumer.keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
            assertThat(ledger.claim(consumer, key).claimed()).containsExactly(key);
            assertThat(ledger.contains(consumer, key)).isTrue();
            connection.commit();
        }
        assertThat(kept(lab.own)).contains("1 in inbox_ledger");
        assertNothingInTheOther();
    }

    @Test
    void upkeepAndAdminWorkOnAConnectionThatLooksElsewhere() throws SQLException {
        JdbcStore further = JdbcStore.builder(lab.pool).daysAhead(12).build();
        String days = "SELECT count(*) FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)"
                + " AND relkind = 'r' AND relname LIKE 'inbox_ledger_2%'";
        int before = Integer.parseInt(lab.own.ask(days));
        try (Connection one = lab.pool.getConnection();
                Connection two = lab.pool.getConnection()) {
            execute(one, elsewhere("SET search_path = OTHER"));
            execute(two, elsewhere("SET search_path = OTHER"));
        }
        lab.store.register(new ConsumerRegistration("elsewhere " + UUID.randomUUID(), IdForm.OPAQUE));
        further.maintain();
        lab.store.retire();

        assertThat(Integer.parseInt(lab.own.ask(days))).isEqualTo(before + 4);
        assertThat(Integer.parseInt(other.ask(days))).isEqualTo(before);
        assertThat(lab.store.admin().consumers()).hasSize(1);
        assertThat(lab.store.admin().sizes().tables()).isNotEmpty();
        assertThat(lab.own.ask("SELECT count(*) FROM inbox_consumer")).isEqualTo("1");
        assertThat(other.ask("SELECT count(*) FROM inbox_consumer")).isEqualTo("0");
    }

    @Test
    @Tag("A14")
    void sameTablesThroughTwoSearchPathsHaveOneLockForEachWorkPartition() throws SQLException {
        try (Workshop before = server.emptySchema()) {
            JdbcStore same = JdbcStore.builder(server.dataSource(server.url(schema(before) + "," + schema(lab.own))))
                    .daysAhead(12)
                    .build();
            ConsumerRegistration registration =
                    new ConsumerRegistration("work partitions " + UUID.randomUUID(), IdForm.OPAQUE);
            RegisteredConsumer consumer = lab.store.register(registration);
            assertThat(same.register(registration).id()).isEqualTo(consumer.id());
            try (InboxTransaction<JdbcContext> one = lab.store.begin(StoreLab.IDLE_LIMIT);
                    InboxTransaction<JdbcContext> two = same.begin(StoreLab.IDLE_LIMIT)) {
                assertThat(one.enter(consumer, 0)).isTrue();
                assertThat(two.enter(consumer, 0)).isFalse();
                one.lock(consumer, List.of(1), StoreLab.LONG);
                assertThatThrownBy(() -> two.lock(consumer, List.of(1), StoreLab.SHORT))
                        .isInstanceOf(ClaimBlockedException.class);
            }
            same.maintain();
            assertThat(before.askAll(
                            "SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)"))
                    .isEmpty();
        }
    }
}
