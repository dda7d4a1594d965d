package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.ConsumerPausedException;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Start;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Who begins with what, on PostgreSQL. */
final class StartRows {
    private StartRows() {}

    static int started(Connection connection, RegisteredConsumer consumer, Start start, int limit, Duration fresh)
            throws SQLException {
        requireNotPaused(connection, consumer);
        try (PreparedStatement statement = connection.prepareStatement(BacklogStatements.STARTED)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, CleanText.of(start.what()));
            statement.setString(3, CleanText.of(start.position()));
            statement.setString(4, CleanText.of(start.by()));
            statement.setInt(5, limit);
            statement.setLong(6, fresh.toMillis());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }

    private static void requireNotPaused(Connection connection, RegisteredConsumer consumer) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(BacklogStatements.IS_PAUSED)) {
            statement.setShort(1, consumer.id());
            try (ResultSet row = statement.executeQuery()) {
                if (row.next() && row.getBoolean(1)) {
                    throw new ConsumerPausedException(consumer.name());
                }
            }
        }
    }

    /** How many rows were changed. */
    static int ended(Connection connection, RegisteredConsumer consumer, Start start) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(BacklogStatements.ENDED)) {
            statement.setString(1, CleanText.of(start.by()));
            statement.setShort(2, consumer.id());
            statement.setString(3, CleanText.of(start.what()));
            statement.setString(4, CleanText.of(start.position()));
            return statement.executeUpdate();
        }
    }

    /** How many rows were changed. */
    static int survived(Connection connection, RegisteredConsumer consumer, Start start) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(BacklogStatements.SURVIVED)) {
            statement.setString(1, CleanText.of(start.by()));
            statement.setString(2, CleanText.of(start.by()));
            statement.setShort(3, consumer.id());
            statement.setString(4, CleanText.of(start.what()));
            statement.setString(5, CleanText.of(start.position()));
            return statement.executeUpdate();
        }
    }
}
