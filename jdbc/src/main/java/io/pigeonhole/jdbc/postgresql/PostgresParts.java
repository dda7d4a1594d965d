package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Statements that look at a part of the history or of the ledger each. One statement for all of it would lock every day and its
 * indexes: with a year of history more than a thousand of the locks that all sessions of the server share.
 */
public final class PostgresParts {
    /** So many days one statement looks at. */
    private static final int DAYS = 8;

    private PostgresParts() {}

    /**
     * Statements that together look at all times of the history, those of the newest days first.
     *
     * @param sql formatted with from when, and until when
     */
    public static List<String> ofHistory(Connection connection, Statements statements, String sql) throws SQLException {
        return parts(
                connection, statements.sql(PartitionStatement.BEGINNINGS_OF_HISTORY), sql, "-infinity", "infinity");
    }

    /**
     * Statements that together look at all keys of the ledger, the largest first.
     *
     * @param sql formatted with the smallest key, the key at which it ends, and {@code <=} where that one is included, which is the
     *     largest of all; otherwise {@code <}, since the day that begins there is another statement's
     */
    public static List<String> ofLedger(Connection connection, Statements statements, String sql) throws SQLException {
        return parts(
                connection,
                statements.sql(PartitionStatement.BEGINNINGS_OF_LEDGER),
                sql,
                "00000000-0000-0000-0000-000000000000",
                "ffffffff-ffff-ffff-ffff-ffffffffffff");
    }

    /** With bounds in the text, so that PostgreSQL leaves the other days out before it locks them. */
    private static List<String> parts(
            Connection connection, String beginnings, String sql, String lowest, String highest) throws SQLException {
        List<String> statements = new ArrayList<>();
        String end = highest;
        String upTo = "<=";
        int days = 0;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(beginnings)) {
            while (rows.next()) {
                days++;
                if (days % DAYS == 0) {
                    statements.add(sql.formatted(rows.getString(1), end, upTo));
                    end = rows.getString(1);
                    upTo = "<";
                }
            }
        }
        statements.add(sql.formatted(lowest, end, upTo));
        return statements;
    }
}
