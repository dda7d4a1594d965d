package io.pigeonhole.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.H2Server;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.MariaDbServers;
import io.pigeonhole.jdbc.PostgresServer;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.jdbc.Workshop;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tools create the tables in the database and the schema in which they run migrations of the user's own. */
@ParameterizedClass
@MethodSource("databases")
class MigrationToolsIT {
    private final DatabaseServer server;
    private final Workshop database;

    MigrationToolsIT(DatabaseServer server) {
        this.server = server;
        this.database = server.emptySchema();
    }

    /** For {@code @MethodSource}. */
    static Stream<DatabaseServer> databases() {
        return Stream.of(PostgresServers.embedded(), MariaDbServers.embedded(), H2Server.FILES);
    }

    @AfterEach
    void drop() {
        database.close();
    }

    @ParameterizedTest
    @EnumSource
    void inboxIsCreatedBesideTheUsersOwnMigrationsAsApplyCreatesIt(MigrationTool tool) {
        tool.migrateOwn(database.dataSource());

        migrateAll(tool);

        Schema.validate(database.dataSource());
        assertThat(details(database)).isNotEmpty().isEqualTo(details(server.sharedSchema()));
        processesAMessage();
        List<String> before = rows();
        migrateAll(tool);
        Schema.apply(database.dataSource());
        assertThat(rows()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"FLYWAY", "LIQUIBASE"})
    void inboxThatApplyCreatedIsLeftAsItIs(MigrationTool tool) {
        tool.migrateOwn(database.dataSource());
        Schema.apply(database.dataSource());
        processesAMessage();
        List<String> before = rows();

        migrateAll(tool);

        Schema.validate(database.dataSource());
        assertThat(rows()).isEqualTo(before);
    }

    private void migrateAll(MigrationTool tool) {
        String folder = server instanceof PostgresServer ? "postgresql" : server instanceof H2Server ? "h2" : "mariadb";
        tool.migrateAll(database.dataSource(), "classpath:io/pigeonhole/schema/" + folder);
    }

    private void processesAMessage() {
        Message message =
                Message.builder("bank").id("1").type("payment").payload("30").build();
        Inbox<JdbcContext> inbox = Inbox.builder("payments", JdbcStore.create(database.dataSource()))
                .handle(
                        "payment",
                        PayloadDecoder.text(),
                        (amount, context) -> context.defer(
                                "UPDATE account SET balance = balance - ? WHERE id = 'a'", Long.parseLong(amount)))
                .build();

        assertThat(inbox.process(message)).isEqualTo(new Outcome.Processed());
        assertThat(inbox.process(message)).isEqualTo(new Outcome.Duplicate());
        assertThat(database.ask("SELECT balance FROM account WHERE id = 'a'")).isEqualTo("70");
    }

    /** What is there once, and must not be made anew. */
    private List<String> rows() {
        return Stream.of(
                        "SELECT id FROM inbox_store",
                        "SELECT oldest FROM inbox_ledger_bounds",
                        "SELECT trusted_at FROM inbox_clock",
                        "SELECT installed_at FROM inbox_schema ORDER BY version",
                        "SELECT COUNT(*) FROM inbox_upkeep",
                        "SELECT COUNT(*) FROM inbox_ledger")
                .flatMap(question -> database.askAll(question).stream())
                .toList();
    }

    /** What the check at the start does not look at: indexes that are not unique, settings of tables, comments. */
    private List<String> details(Workshop workshop) {
        if (server instanceof PostgresServer) {
            return workshop.askAll("""
                    SELECT concat_ws(' ', c.relname, c.relkind, c.reloptions, obj_description(c.oid, 'pg_class'))
                    FROM pg_class AS c
                    WHERE c.relnamespace = current_schema()::regnamespace AND c.relname ~ '^(in|out)box'
                        AND c.relname !~ '_[0-9]{8}' AND c.relname !~ '^inbox_schema_history'
                    ORDER BY 1""");
        }
        if (server instanceof H2Server) {
            return workshop.askAll("""
                    SELECT CONCAT_WS(' ', table_name, index_name, ordinal_position, column_name)
                    FROM information_schema.index_columns
                    WHERE table_schema = CURRENT_SCHEMA AND (index_name LIKE 'INBOX%' OR index_name LIKE 'OUTBOX%')
                    ORDER BY 1""");
        }
        return workshop.askAll("""
                SELECT CONCAT_WS(' ', table_name, index_name, seq_in_index, column_name)
                FROM information_schema.statistics
                WHERE table_schema = DATABASE() AND table_name REGEXP '^(in|out)box' AND table_name <> 'inbox_schema_history'
                UNION ALL
                SELECT CONCAT_WS(' ', table_name, engine, table_comment)
                FROM information_schema.tables
                WHERE table_schema = DATABASE() AND table_name REGEXP '^(in|out)box' AND table_name <> 'inbox_schema_history'
                ORDER BY 1""");
    }
}
