package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages leave a table and come back with the same id. Where the id is the primary key, a transaction of H2 that wanted to
 * lock the row when it was gone removes at its rollback the row that has come back, from the table and not from its indexes.
 */
class H2RowsThatComeBackIT {
    @ParameterizedTest
    @ValueSource(strings = {"inbox_work", "inbox_dead_letter"})
    @Tag("B-principle")
    void rollbackOfATransactionThatMissedARowDoesNotRemoveItsSuccessor(String table) throws SQLException {
        try (Workshop workshop = H2Server.FILES.schema();
                Connection holder = begin(workshop);
                Connection mover = begin(workshop);
                Connection locker = begin(workshop)) {
            execute(mover, insertion(table, 1));
            execute(mover, insertion(table, 2));
            mover.commit();
            String session = ask(locker, "SELECT SESSION_ID()").get(0);
            ask(holder, "SELECT id FROM " + table + " WHERE id = 1 FOR UPDATE");
            CompletableFuture<List<String>> locked = CompletableFuture.supplyAsync(
                    () -> rows(locker, "SELECT id FROM " + table + " WHERE id BETWEEN 1 AND 2 FOR UPDATE"),
                    OwnThread.FOR_EACH);
            awaitBlocked(workshop, session);

            execute(mover, "DELETE FROM " + table + " WHERE id = 2");
            mover.commit();
            holder.commit();
            assertThat(locked.join()).containsExactly("1");
            execute(mover, insertion(table, 2));
            mover.commit();
            locker.rollback();

            assertThat(ask(mover, "SELECT id FROM " + table + " WHERE source = 'queue'"))
                    .containsExactly("1", "2");
        }
    }

    private static Connection begin(Workshop workshop) throws SQLException {
        Connection connection = workshop.dataSource().getConnection();
        connection.setAutoCommit(false);
        execute(connection, "SET LOCK_TIMEOUT 30000");
        return connection;
    }

    private static String insertion(String table, int id) {
        return table.equals("inbox_work")
                ? insertion(
                        table,
                        id,
                        "status, due_at, retry_since, updated_at",
                        "'parked', LOCALTIMESTAMP, LOCALTIMESTAMP, LOCALTIMESTAMP")
                : insertion(
                        table,
                        id,
                        "blocks, reason, detail, claimed, died_at",
                        "FALSE, 'LATE', '', TRUE, LOCALTIMESTAMP");
    }

    private static String insertion(String table, int id, String columns, String values) {
        return "INSERT INTO " + table + " (id, consumer_id, message_key, work_partition, ordered, by_lease, attempts,"
                + " received_at, source, headers, " + columns + ") VALUES (" + id
                + ", 1, CAST(RANDOM_UUID() AS BINARY(16)), 0, FALSE, FALSE, 1, LOCALTIMESTAMP, 'queue', X'', " + values
                + ")";
    }

    private static void awaitBlocked(Workshop workshop, String session) throws SQLException {
        try (Connection connection = workshop.dataSource().getConnection()) {
            String blocked = "SELECT session_id FROM information_schema.sessions"
                    + " WHERE blocker_id IS NOT NULL AND session_id = " + session;
            while (ask(connection, blocked).isEmpty()) {
                Thread.onSpinWait();
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> rows(Connection connection, String sql) {
        try {
            return ask(connection, sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private static List<String> ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> first = new ArrayList<>();
            while (rows.next()) {
                first.add(rows.getString(1));
            }
            return first;
        }
    }
}
