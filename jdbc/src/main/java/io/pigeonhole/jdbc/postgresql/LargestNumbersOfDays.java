package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.counter.Counter;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the largest numbers in history and ledger on PostgreSQL: it asks a few days at a time, and gives their locks back before
 * it asks the next ones.
 */
final class LargestNumbersOfDays {
    private LargestNumbersOfDays() {}

    /** The largest number of a counter in history and ledger; 0 where there is none. */
    static long of(AdminSession session, Counter counter) throws SQLException {
        return switch (counter) {
            case HISTORY -> ofHistory(session);
            case CONSUMER -> ofConsumers(session);
            case ARRIVAL, ATTEMPT, AUDIT, OUTBOX -> 0;
        };
    }

    /**
     * Later days have larger numbers. Only where the sequence began anew a short while ago the newest day may have smaller
     * ones, so the days before those are asked, too.
     */
    private static long ofHistory(AdminSession session) throws SQLException {
        long largest = 0;
        for (String part : partsOfHistory(session, SequenceStatement.LARGEST_HISTORY_BETWEEN)) {
            long newer = largest;
            largest = Math.max(largest, askAndUnlock(session.connection(), part));
            if (newer > 0) {
                return largest;
            }
        }
        return largest;
    }

    /** Any day of ledger and history may refer to a consumer that is missing. */
    private static long ofConsumers(AdminSession session) throws SQLException {
        List<String> parts = new ArrayList<>(PostgresParts.ofLedger(
                session.connection(),
                session.statements(),
                session.statements().sql(SequenceStatement.LARGEST_CONSUMER_OF_LEDGER_BETWEEN)));
        parts.addAll(partsOfHistory(session, SequenceStatement.LARGEST_CONSUMER_OF_HISTORY_BETWEEN));
        long largest = 0;
        for (String part : parts) {
            largest = Math.max(largest, askAndUnlock(session.connection(), part));
        }
        return largest;
    }

    private static List<String> partsOfHistory(AdminSession session, SequenceStatement statement) throws SQLException {
        Statements statements = session.statements();
        return PostgresParts.ofHistory(session.connection(), statements, statements.sql(statement));
    }

    /** What was locked after a savepoint is free once that is rolled back. */
    private static long askAndUnlock(Connection connection, String sql) throws SQLException {
        Savepoint before = connection.setSavepoint();
        long answer;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            answer = row.getLong(1);
        }
        connection.rollback(before);
        connection.releaseSavepoint(before);
        return answer;
    }
}
