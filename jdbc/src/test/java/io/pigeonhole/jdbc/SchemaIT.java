package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.UpkeepEntry;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Reception;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.jdbc.postgresql.PostgresBoundary;
import io.pigeonhole.jdbc.postgresql.PostgresSchema;
import io.pigeonhole.jdbc.schema.Catalog;
import io.pigeonhole.jdbc.schema.SchemaFiles;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@OnEveryServer
class SchemaIT {
    private final PostgresServer server;
    private final Workshop workshop;

    SchemaIT(PostgresServer server) {
        this.server = server;
        this.workshop = server.emptySchema();
    }

    @BeforeEach
    void schemaIsEmpty() {
        assertThat(tables()).isEmpty();
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void applyCreatesExactlyWhatValidateExpects() {
        Schema.apply(workshop.dataSource());

        Schema.validate(workshop.dataSource());
        Catalog expected = PostgresSchema.expected();
        Catalog found = PostgresBoundary.transactions(workshop.dataSource()::getConnection)
                .run("to read the catalog", session -> PostgresSchema.read(session, expected));
        assertThat(found.entries()).containsExactlyInAnyOrderEntriesOf(expected.entries());
    }

    @Test
    @Tag("F48")
    void tablesWhoseRowsChangeHaveRoomInTheirPagesAndAreVacuumedEarly() {
        Schema.apply(workshop.dataSource());

        assertThat(workshop.askAll("SELECT relname || ' ' || array_to_string(reloptions, ' ') FROM pg_class"
                        + " WHERE relnamespace = current_schema()::regnamespace AND reloptions IS NOT NULL ORDER BY 1"))
                .containsExactly(
                        "inbox_idempotency autovacuum_vacuum_scale_factor=0.05 autovacuum_vacuum_threshold=1000",
                        "inbox_replay fillfactor=50",
                        "inbox_watermark fillfactor=30 autovacuum_vacuum_scale_factor=0 autovacuum_vacuum_threshold=1000",
                        "inbox_work fillfactor=70 autovacuum_vacuum_scale_factor=0.02 autovacuum_vacuum_threshold=200"
                                + " autovacuum_analyze_scale_factor=0.05",
                        "outbox_message_0 autovacuum_vacuum_scale_factor=0.02 autovacuum_vacuum_threshold=1000",
                        "outbox_message_1 autovacuum_vacuum_scale_factor=0.02 autovacuum_vacuum_threshold=1000");
    }

    @Test
    void applyAgainChangesNothing() {
        Schema.apply(workshop.dataSource());
        List<String> before = tables();
        workshop.execute("UPDATE inbox_ledger_bounds SET oldest = newest");

        Schema.apply(workshop.dataSource());

        assertThat(tables()).isEqualTo(before);
        assertThat(workshop.ask("SELECT oldest = newest FROM inbox_ledger_bounds"))
                .isEqualTo("t");
        assertThat(workshop.askAll("SELECT version FROM inbox_schema")).hasSize(SchemaFiles.ALL.size());
    }

    @Test
    void manyProgramsMayApplyAtOnce() {
        List<CompletableFuture<Void>> programs = Stream.generate(
                        () -> CompletableFuture.runAsync(() -> Schema.apply(workshop.dataSource()), OwnThread.FOR_EACH))
                .limit(6)
                .toList();

        programs.forEach(CompletableFuture::join);

        Schema.validate(workshop.dataSource());
    }

    @Test
    void printedStatementsCreateTheSchemaAndRegistrationItsDays() {
        workshop.execute(Schema.print());

        JdbcStore store = JdbcStore.create(workshop.dataSource());
        store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));

        assertThat(tables().stream().filter(table -> table.matches("inbox_ledger_\\d{8}")))
                .hasSize(9);
        assertThat(tables().stream().filter(table -> table.matches("inbox_history_\\d{8}")))
                .hasSize(9);
    }

    @Test
    void printedStatementsCompleteASchemaThatWasBegun() {
        workshop.execute(Schema.print());
        workshop.execute("DROP VIEW inbox");
        workshop.execute("DROP TABLE inbox_store");
        workshop.execute("DELETE FROM inbox_schema");
        String before = workshop.ask("SELECT trusted_at FROM inbox_clock");

        workshop.execute(Schema.print());

        Schema.validate(workshop.dataSource());
        assertThat(workshop.askAll("SELECT version FROM inbox_schema")).hasSize(SchemaFiles.ALL.size());
        assertThat(workshop.ask("SELECT trusted_at FROM inbox_clock")).isEqualTo(before);
        workshop.ask("SELECT id FROM inbox_store");
    }

    @Test
    void printedStatementsLeaveHashPartitionsAsTheyAre() {
        Schema.apply(workshop.dataSource(), 3);
        List<String> before = tables();

        workshop.execute(Schema.print());

        assertThat(tables()).isEqualTo(before);
        Schema.apply(workshop.dataSource(), 3);
    }

    @Test
    void missingSchemaIsToldWithWhatToDo() {
        assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("the inbox has no tables here yet")
                .hasMessageNotContaining("inbox_work")
                .hasMessageContaining("Schema.apply")
                .hasMessageContaining("classpath:io/pigeonhole/schema/postgresql/")
                .hasMessageContaining("io/pigeonhole/schema/liquibase.xml");
        assertThat(tables()).isEmpty();
    }

    @Test
    void everyDifferenceIsToldExactlyAndNothingIsAltered() {
        Schema.apply(workshop.dataSource());
        workshop.execute("DROP VIEW inbox");
        workshop.execute("ALTER TABLE inbox_work DROP COLUMN due_at");
        workshop.execute("ALTER TABLE inbox_work ALTER COLUMN payload TYPE text USING encode(payload, 'hex')");
        workshop.execute("ALTER TABLE inbox_attempt ALTER COLUMN node DROP NOT NULL");
        workshop.execute("ALTER TABLE inbox_dead_letter DROP CONSTRAINT inbox_dead_letter_consumer_id_message_key_key");
        workshop.execute("ALTER TABLE inbox_ledger DETACH PARTITION inbox_ledger_digest");
        workshop.execute("ALTER TABLE inbox_work ADD COLUMN noted_by_its_owner text");
        List<String> before = tables();

        assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("the schema of the inbox differs in 6 places:")
                .hasMessageContaining("\n  inbox is missing\n")
                .hasMessageContaining("\n  inbox_work.due_at is missing\n")
                .hasMessageContaining("\n  inbox_work.payload is text, expected bytea\n")
                .hasMessageContaining("\n  inbox_attempt.node is text, expected text not null\n")
                .hasMessageContaining("\n  inbox_dead_letter: UNIQUE (consumer_id, message_key) is missing\n")
                .hasMessageContaining("\n  inbox_ledger_digest is table, expected table FOR VALUES FROM"
                        + " ('ff000000-0000-0000-0000-000000000000') TO (MAXVALUE)\n");
        assertThat(tables()).isEqualTo(before);
    }

    @Test
    void ledgerPartitionedOtherwiseIsRefused() {
        Schema.apply(workshop.dataSource());
        workshop.execute("ALTER TABLE inbox_ledger RENAME TO old_ledger");
        workshop.execute("CREATE TABLE inbox_ledger (consumer_id smallint, message_key uuid, accepted_at timestamptz"
                + " NOT NULL, PRIMARY KEY (consumer_id, message_key)) PARTITION BY RANGE (consumer_id)");

        assertThatThrownBy(() -> Schema.validate(workshop.dataSource()))
                .hasMessageContaining("\n  inbox_ledger is table partitioned by RANGE (consumer_id),"
                        + " expected table partitioned by RANGE (message_key)\n");
    }

    /** The server empties it when it recovers from a crash: messages would be lost that were accepted. */
    @Test
    @Tag("D12")
    void tableThatIsNotLoggedIsRefused() {
        Schema.apply(workshop.dataSource());
        workshop.execute("ALTER TABLE inbox_work SET UNLOGGED");

        assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("\n  inbox_work is unlogged table, expected table\n");
    }

    @Test
    void tablesInTheWayAreNotTouched() {
        workshop.execute("CREATE TABLE inbox_work (mine text)");

        assertThatThrownBy(() -> Schema.apply(workshop.dataSource()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("[inbox_work]")
                .hasMessageContaining("search_path");

        assertThat(tables()).containsExactly("inbox_work");
    }

    /** Each session would number from a cache of its own: a message that comes later would stand before others. */
    @Test
    void orderThatWouldComeFromTheCachesOfSessionsIsRefused() {
        Schema.apply(workshop.dataSource());
        workshop.execute("ALTER SEQUENCE inbox_arrival CACHE 50");
        workshop.execute("ALTER TABLE inbox_history ALTER COLUMN id SET CACHE 20");
        workshop.execute("ALTER TABLE inbox_attempt ALTER COLUMN id SET CACHE 20");

        assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("differs in 2 places")
                .hasMessageContaining("\n  inbox_arrival is sequence with CACHE 50, expected sequence\n")
                .hasMessageContaining(
                        "\n  inbox_history.id is bigint not null from a sequence with CACHE 20, expected bigint"
                                + " not null\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"quote_all_identifiers=on", "standard_conforming_strings=off"})
    @Tag("D12")
    void settingThatChangesWhatTextsMeanChangesNothing(String setting) {
        DataSource quoting = workshop.dataSource("&options=-c%20" + setting);
        Schema.apply(quoting, 3);
        Schema.apply(quoting);
        JdbcStore store = JdbcStore.builder(quoting).daysAhead(12).build();
        store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));
        workshop.execute("CREATE TABLE inbox_history_20200101 PARTITION OF inbox_history"
                + " FOR VALUES FROM ('2020-01-01 00:00:00+00') TO ('2020-01-02 00:00:00+00')");
        workshop.execute("INSERT INTO inbox_ledger VALUES (1, 'ff000000-0000-0000-0000-000000000001', '2020-01-01')");

        while (store.retire().more()) {
            // The next piece.
        }

        assertThat(tables()).doesNotContain("inbox_history_20200101");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("0");
        assertThat(store.admin().sizes().upkeep()).extracting(UpkeepEntry::task).contains("inbox_ledger_digest_0");
    }

    @Test
    void workIsFinishedInASchemaWithAPercentSignInItsName() {
        workshop.execute("CREATE SCHEMA \"sales_100%done\"");
        try {
            DataSource connections = server.dataSource(server.url() + "&currentSchema=%22sales_100%25done%22");
            Schema.apply(connections);
            AtomicInteger handled = new AtomicInteger();
            Inbox<JdbcContext> inbox = Inbox.builder("payments", JdbcStore.create(connections))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> handled.incrementAndGet())
                    .reception(Reception.STORE)
                    .workPartitions(1)
                    .build();
            inbox.process(
                    Message.builder("notes").id("1").type("note").payload("x").build());

            inbox.work();

            assertThat(handled).hasValue(1);
            assertThat(workshop.ask("SELECT count(*) FROM \"sales_100%done\".inbox_work"))
                    .isEqualTo("0");
        } finally {
            workshop.execute("DROP SCHEMA \"sales_100%done\" CASCADE");
        }
    }

    @Test
    void commandLinePrintsValidatesAndApplies() {
        assertThat(run("validate", workshop.url())).startsWith("1: the inbox has no tables here yet");
        assertThat(run("apply", workshop.url())).startsWith("0: The schema is as it should be.");
        assertThat(run("validate", workshop.url())).startsWith("0: ");
        assertThat(run("print")).startsWith("0: " + Schema.print());
        assertThat(run("print", "postgresql")).startsWith("0: " + Schema.print());
        assertThat(run("print", "mariadb")).startsWith("0: " + Schema.print("mariadb"));
        assertThat(run("print", "oracle")).startsWith("1: there is no schema for 'oracle'");
        assertThat(run("drop", workshop.url())).startsWith("2: Usage");
        assertThat(run()).startsWith("2: Usage");
    }

    private static String run(String... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        return Schema.run(arguments, out, out) + ": " + bytes.toString(StandardCharsets.UTF_8);
    }

    private List<String> tables() {
        return workshop.askAll(
                "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')"
                        + " ORDER BY relname");
    }
}
