package io.pigeonhole.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Compares the numbers of transactions. Whoever records a message has claimed it, taken it or read its watermark before, and
 * so has a number already; one that is given out afterwards is greater.
 */
record PostgresBarrier(ConnectionSource connections) implements HistoryBarrier {
    @Override
    public long mark() {
        return Errand.run(connections, "to mark a moment", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PostgresReplayStatements.MARK)) {
                return number(statement);
            }
        });
    }

    @Override
    public Duration delay() {
        return Duration.ZERO;
    }

    @Override
    public boolean isPast(long mark) {
        return Errand.run(connections, "to look for older transactions", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PostgresReplayStatements.IS_PAST)) {
                statement.setLong(1, mark);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() && row.getBoolean(1);
                }
            }
        });
    }

    private static long number(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
