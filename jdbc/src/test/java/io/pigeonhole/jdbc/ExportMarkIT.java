package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.jackson.JsonLinesArchive;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** For which transactions an export waits, on PostgreSQL. */
@Tag("full")
@OnEveryServer
class ExportMarkIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Workshop workshop;
    private final LocalDate day;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    ExportMarkIT(PostgresServer server) {
        workshop = server.schema();
        workshop.execute("CREATE TABLE anything (n int)");
        day = store().historyDays().today().minusDays(1);
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    /** As a process that is begun for each try. */
    private JdbcStore store() {
        return JdbcStore.create(workshop.dataSource());
    }

    private long export() throws IOException {
        return HistoryExport.of(store(), JsonLinesArchive.in(directory)).export(day);
    }

    private Connection writer() throws SQLException {
        Connection connection = workshop.dataSource().getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO anything VALUES (1)");
        }
        return connection;
    }

    /** To a database that nobody else uses, on the same server. */
    private static DataSource another(Workshop workshop, String database) {
        PGSimpleDataSource another = new PGSimpleDataSource();
        another.setUrl(workshop.url());
        another.setDatabaseName(database);
        return another;
    }

    private static void end(Connection connection) throws SQLException {
        connection.rollback();
        connection.close();
    }

    /** Each of them outlasts an export, and one is always open. */
    @Test
    @Tag("E6")
    void dayIsExportedAlthoughLongTransactionsOverlap() throws SQLException {
        Connection first = writer();
        assertThatThrownBy(this::export).isInstanceOf(RetryableException.class);
        Connection second = writer();
        end(first);

        try {
            await().atMost(PATIENCE)
                    .ignoreException(RetryableException.class)
                    .untilAsserted(() -> assertThat(export()).isZero());
        } finally {
            end(second);
        }
        assertThat(workshop.askAll("SELECT history_day FROM inbox_export_mark")).isEmpty();
    }

    @Test
    @Tag("E6")
    void dayWaitsForWhatWasOpenAtTheFirstTry() throws SQLException {
        Connection open = writer();
        try {
            assertThatThrownBy(this::export).isInstanceOf(RetryableException.class);
            assertThatThrownBy(this::export).isInstanceOf(RetryableException.class);
            assertThat(store().historyDays().isExported(day)).isFalse();
        } finally {
            end(open);
        }
    }

    /** The day may not have been over when the clock was ahead. */
    @Test
    @Tag("E6")
    void momentThatWasNotedWhileTheClockWasAheadIsTakenAnew() {
        workshop.execute(
                "INSERT INTO inbox_export_mark VALUES ('" + day + "', 1, clock_timestamp() + interval '1 day')");
        store().historyDays().isSettled(day);

        assertThat(workshop.ask("SELECT mark > 1 FROM inbox_export_mark")).isEqualTo("t");
    }

    /** A mark is a number of the cluster's transactions, and a dump takes it along to another cluster. */
    @Test
    @Tag("D11")
    void exportDoesNotWaitForTransactionsOfTheClusterThatTheDatabaseWasRestoredFrom() {
        workshop.execute("INSERT INTO inbox_export_mark VALUES ('" + day + "', 9000000000000000, clock_timestamp())");

        assertThat(store().historyDays().isSettled(day)).isTrue();
    }

    @Test
    @Tag("D11")
    void replayDoesNotWaitForTransactionsOfTheClusterThatTheDatabaseWasRestoredFrom() {
        JdbcStore store = store();
        Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        inbox.process(
                Message.builder("notes").id("one").type("note").payload("one").build());
        store.replays().create(new ReplayPlan("anew", "notes", null, null, null, null, null, false), "ann", "a test");
        workshop.execute("UPDATE inbox_replay SET mark = 9000000000000000");

        assertThat(store.replays().settle("anew").state()).isEqualTo(ReplayState.RUNNING);
    }

    /** The next number is one that a transaction may get at any time. */
    @Test
    @Tag("D11")
    void momentOfNowIsNotTakenForOneOfAnotherCluster() throws SQLException {
        Connection open = writer();
        try {
            for (int i = 0; i < 20; i++) {
                assertThat(store().historyDays().isSettled(day.minusDays(i))).isFalse();
            }
        } finally {
            end(open);
        }
    }

    /** Their numbers are of one row for all databases, but what they write is not here. */
    @Test
    void dayDoesNotWaitForTransactionsOfOtherDatabasesOfTheServer() throws SQLException {
        String name = workshop.ask("SELECT current_schema()") + "_other";
        workshop.execute("CREATE DATABASE " + name);
        try (Connection other = another(workshop, name).getConnection()) {
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("SELECT pg_current_xact_id()");
            }
            // Others may use the server, and begin and end transactions meanwhile.
            await().atMost(PATIENCE).until(() -> store().historyDays().isSettled(day));

            Connection open = writer();
            try {
                assertThat(store().historyDays().isSettled(day.minusDays(1))).isFalse();
                assertThat(store().historyDays().isSettled(day.minusDays(1))).isFalse();
            } finally {
                end(open);
            }
            await().atMost(PATIENCE).until(() -> store().historyDays().isSettled(day.minusDays(1)));
        } finally {
            workshop.execute("DROP DATABASE " + name + " WITH (FORCE)");
        }
    }

    /** It sees the numbers of others' transactions, though little else of them; without that it would wait. */
    @Test
    void loginWithoutRightsToWatchTheServerWaitsForItsOwnDatabaseOnly() throws SQLException {
        String schema = workshop.ask("SELECT current_schema()");
        String name = schema + "_other";
        String role = "exporter_" + ProcessHandle.current().pid() + "_" + schema;
        workshop.execute("CREATE ROLE " + role + " LOGIN");
        workshop.execute("CREATE DATABASE " + name);
        try (Connection other = another(workshop, name).getConnection()) {
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("SELECT pg_current_xact_id()");
            }
            workshop.execute("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
            workshop.execute("GRANT ALL ON ALL TABLES IN SCHEMA " + schema + " TO " + role);
            workshop.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + role);
            PGSimpleDataSource limited = new PGSimpleDataSource();
            limited.setUrl(workshop.url());
            limited.setUser(role);
            JdbcStore store = JdbcStore.create(limited);
            await().atMost(PATIENCE).until(() -> store.historyDays().isSettled(day));

            Connection open = writer();
            try {
                assertThat(store.historyDays().isSettled(day.minusDays(1))).isFalse();
            } finally {
                end(open);
            }
        } finally {
            workshop.execute("DROP DATABASE " + name + " WITH (FORCE)");
            workshop.execute("DROP OWNED BY " + role);
            workshop.execute("DROP ROLE " + role);
        }
    }
}
