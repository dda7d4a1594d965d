package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the largest numbers that rows have. Of history and ledger it asks a few days at a time, and gives their locks back
 * before it asks the next ones.
 */
final class PostgresLargestNumbers {
    private PostgresLargestNumbers() {}

    /** The largest number of a counter that rows have or refer to; 0 where there are none. */
    static long of(Connection connection, Counter counter) throws SQLException {
        return switch (counter) {
            case ARRIVAL -> ask(connection, PostgresNumberStatements.LARGEST_ARRIVAL);
            case ATTEMPT -> ask(connection, PostgresNumberStatements.LARGEST_ATTEMPT);
            case AUDIT -> ask(connection, PostgresNumberStatements.LARGEST_AUDIT);
            case HISTORY -> Math.max(ask(connection, PostgresNumberStatements.LARGEST_CUTOFF), ofHistory(connection));
            case CONSUMER ->
                Math.max(ask(connection, PostgresNumberStatements.LARGEST_CONSUMER), ofConsumers(connection));
        };
    }

    /** Answers with one number. */
    static long ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * Later days have larger numbers. Only where the sequence began anew a short while ago the newest day may have smaller
     * ones, so the days before those are asked, too.
     */
    private static long ofHistory(Connection connection) throws SQLException {
        long largest = 0;
        for (String part : PostgresParts.ofHistory(connection, PostgresNumberStatements.LARGEST_HISTORY_BETWEEN)) {
            long newer = largest;
            largest = Math.max(largest, askAndUnlock(connection, part));
            if (newer > 0) {
                return largest;
            }
        }
        return largest;
    }

    /** Any day of ledger and history may refer to a consumer that is missing. */
    private static long ofConsumers(Connection connection) throws SQLException {
        List<String> parts =
                new ArrayList<>(PostgresParts.ofLedger(connection, PostgresNumberStatements.LARGEST_LEDGER_BETWEEN));
        parts.addAll(PostgresParts.ofHistory(connection, PostgresNumberStatements.LARGEST_CONSUMER_OF_HISTORY_BETWEEN));
        long largest = 0;
        for (String part : parts) {
            largest = Math.max(largest, askAndUnlock(connection, part));
        }
        return largest;
    }

    /** What was locked after a savepoint is free once that is rolled back. */
    private static long askAndUnlock(Connection connection, String sql) throws SQLException {
        Savepoint before = connection.setSavepoint();
        long answer = ask(connection, sql);
        connection.rollback(before);
        connection.releaseSavepoint(before);
        return answer;
    }
}
