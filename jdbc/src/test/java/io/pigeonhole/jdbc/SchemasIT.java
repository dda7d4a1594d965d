package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ConsumerRegistration;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where the tables are on PostgreSQL, whatever the schema's name and the search path. */
@OnEveryServer
@Tag("D2")
class SchemasIT {
    /** The schemas in which the days of the history lie. */
    private static final String DAYS_BESIDE = "SELECT c.relnamespace::regnamespace::text FROM pg_inherits AS i"
            + " JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = '%s.inbox_history'::regclass GROUP BY 1";

    private final PostgresServer server;
    private final Workshop first;
    private final Workshop second;

    SchemasIT(PostgresServer server) {
        this.server = server;
        this.first = server.emptySchema();
        this.second = server.emptySchema();
    }

    @AfterEach
    void drop() {
        first.close();
        second.close();
    }

    @Test
    void inboxInASchemaWithCapitalsForgetsAndMakesDays() {
        first.execute("DROP SCHEMA IF EXISTS \"Orders of \"\"X\"\"\" CASCADE");
        first.execute("CREATE SCHEMA \"Orders of \"\"X\"\"\"");
        try {
            DataSource connections = dataSource("%22Orders%20of%20%22%22X%22%22%22");
            Schema.apply(connections);
            JdbcStore store = JdbcStore.builder(connections)
                    .historyRetention(Duration.ofDays(2))
                    .daysAhead(12)
                    .build();
            store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));
            LocalDate old = LocalDate.now(ZoneOffset.UTC).minusDays(9);
            String day = "\"Orders of \"\"X\"\"\".inbox_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(old);
            first.execute(
                    "CREATE TABLE " + day + " PARTITION OF \"Orders of \"\"X\"\"\".inbox_history FOR VALUES FROM ('"
                            + old + " 00:00:00+00') TO ('" + old.plusDays(1) + " 00:00:00+00')");
            first.execute("INSERT INTO \"Orders of \"\"X\"\"\".inbox_ledger VALUES (1,"
                    + " 'ff000000-0000-0000-0000-000000000001', '2020-01-01')");

            retireAll(store);

            assertThat(first.ask("SELECT to_regclass('" + day + "')")).isNull();
            assertThat(first.ask("SELECT count(*) FROM \"Orders of \"\"X\"\"\".inbox_ledger"))
                    .isEqualTo("0");
            assertThat(store.admin().sizes().daysAhead()).isEqualTo(12);
        } finally {
            first.execute("DROP SCHEMA \"Orders of \"\"X\"\"\" CASCADE");
        }
    }

    @Test
    void inboxInASchemaThatIsNamedLikeItsTablesTakesMessagesAndForgetsThem() {
        String schema = "inbox_" + UUID.randomUUID().toString().substring(0, 8);
        first.execute("CREATE SCHEMA " + schema);
        try {
            DataSource connections = dataSource(schema);
            Schema.apply(connections);
            JdbcStore store = JdbcStore.builder(connections)
                    .historyRetention(Duration.ofDays(2))
                    .build();
            Inbox<JdbcContext> inbox = Inbox.builder("payments", store)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        throw new IllegalStateException("not yet");
                    })
                    .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(2))
                    .build();
            Message note = StoreLab.message();
            inbox.process(note);
            inbox.work();
            first.execute("INSERT INTO " + schema + ".inbox_ledger VALUES (1,"
                    + " 'ff000000-0000-0000-0000-000000000001', '2020-01-01')");

            retireAll(store);

            assertThat(inbox.process(note)).isEqualTo(new Outcome.Duplicate());
            assertThat(first.ask("SELECT count(*) FROM " + schema + ".inbox_dead_letter"))
                    .isEqualTo("1");
            assertThat(first.ask(
                            "SELECT count(*) FROM " + schema + ".inbox_ledger_digest WHERE accepted_at < '2021-01-01'"))
                    .isEqualTo("0");
        } finally {
            first.execute("DROP SCHEMA " + schema + " CASCADE");
        }
    }

    @Test
    void newDaysLieBesideTheirTableWhereAnotherSchemaIsTheCurrentOne() {
        Schema.apply(first.dataSource());
        DataSource behind = dataSource(name(second) + "," + name(first));

        JdbcStore.builder(behind).daysAhead(12).build().maintain();

        assertThat(first.askAll(DAYS_BESIDE.formatted(name(first)))).containsExactly(name(first));
    }

    @Test
    void schemaIsNotAppliedWhereTheTablesLieInAnotherOne() {
        Schema.apply(first.dataSource());
        DataSource behind = dataSource(name(second) + "," + name(first));

        assertThatThrownBy(() -> Schema.apply(behind))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(name(first))
                .hasMessageContaining(name(second))
                .hasMessageContaining("search_path");

        assertThat(second.askAll(
                        "SELECT relname FROM pg_class WHERE relnamespace = '" + name(second) + "'::regnamespace"))
                .isEmpty();
    }

    @Test
    void programStartsWhereDaysLieInAnotherSchemaThanTheirTable() {
        Schema.apply(first.dataSource());
        for (String day :
                first.askAll("SELECT relname FROM pg_class WHERE relname ~ '^inbox_(ledger|history)_[0-9]{8}$'"
                        + " AND relkind = 'r' AND relnamespace = '" + name(first) + "'::regnamespace")) {
            first.execute("ALTER TABLE " + day + " SET SCHEMA " + name(second));
        }

        JdbcStore store = JdbcStore.builder(first.dataSource()).daysAhead(12).build();
        store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));

        assertThat(store.admin().sizes().daysAhead()).isEqualTo(12);
        retireAll(store);
    }

    @Test
    void twoInboxesOnOnePathShareNothing() {
        Schema.apply(first.dataSource());
        Schema.apply(second.dataSource());
        JdbcStore both = JdbcStore.builder(dataSource(name(first) + "," + name(second)))
                .daysAhead(12)
                .build();
        JdbcStore own = JdbcStore.builder(second.dataSource()).daysAhead(9).build();
        both.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));
        both.maintain();
        retireAll(both);

        assertThat(own.admin().consumers()).isEmpty();
        assertThat(own.admin().sizes().daysAhead()).isEqualTo(8);
        assertThat(own.admin().sizes().tables())
                .hasSameSizeAs(both.admin().sizes().tables());
        own.maintain();
        assertThat(both.admin().sizes().daysAhead()).isEqualTo(12);
        for (Workshop each : List.of(first, second)) {
            assertThat(each.askAll(DAYS_BESIDE.formatted(name(each)))).containsExactly(name(each));
        }
    }

    /** As in a program with a schema for each tenant. */
    @Test
    void messageDiesWhateverTheSearchPathIsByThen() {
        Schema.apply(first.dataSource());
        AtomicReference<DataSource> sessions = new AtomicReference<>(first.dataSource());
        Inbox<JdbcContext> inbox = Inbox.builder("payments", JdbcStore.create(connectionsOf(sessions)))
                .retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(2))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new IllegalStateException(payload);
                })
                .build();
        sessions.set(second.dataSource());

        inbox.process(Message.builder("notes").id("1").type("note").payload("x").build());

        await().until(() -> {
            inbox.work();
            return first.askAll("SELECT reason FROM inbox_dead_letter").equals(List.of("RETRIES_EXHAUSTED"));
        });
    }

    private static DataSource connectionsOf(AtomicReference<DataSource> target) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.invoke(target.get(), arguments));
    }

    /** As somebody leaves it who created only a part. */
    @Test
    void partOfAnotherInboxBeforeTheTablesIsRefused() {
        Schema.apply(first.dataSource());
        second.execute("CREATE TABLE inbox_work (LIKE " + name(first) + ".inbox_work INCLUDING ALL)");

        assertThatThrownBy(() -> JdbcStore.create(dataSource(name(second) + "," + name(first))))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("2 schemas");
    }

    private DataSource dataSource(String searchPath) {
        return server.dataSource(server.url() + "&currentSchema=" + searchPath);
    }

    private static String name(Workshop workshop) {
        return workshop.ask("SELECT current_schema()");
    }

    private static void retireAll(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }
}
