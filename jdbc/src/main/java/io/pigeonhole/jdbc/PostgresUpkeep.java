package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A task that looks through a table piece by piece, in one pass after the other. A piece is one short transaction which also
 * writes down where it came to; its row in {@code inbox_upkeep} is locked meanwhile, so that nodes take turns. A crash leaves
 * the piece undone and the place as it was.
 *
 * @param name the task's name
 * @param look what may be forgotten, and when that was found out
 * @param retention how long rows are kept
 */
record PostgresUpkeep(String name, RetentionLook look, Duration retention) {
    /**
     * What a piece of a pass came to.
     *
     * @param place where to go on, empty at the end of the pass
     * @param deleted how many rows it deleted
     */
    record Piece(String place, long deleted) {}

    /** Does a piece, from a place on; the place is empty at the beginning of a pass. */
    @FunctionalInterface
    interface Step {
        Piece run(Connection connection, String place) throws SQLException;
    }

    /** The next piece; null where there is nothing to do now, or another node is at it. */
    @Nullable
    Piece next(ConnectionSource connections, Step step) {
        Piece[] done = new Piece[1];
        Errand.run(connections, "to forget with " + name, connection -> {
            done[0] = null;
            add(connection, name);
            String place = enter(connection);
            if (place != null) {
                long begun = System.nanoTime();
                Piece piece = step.run(connection, place);
                // What it deleted comes back where the clock jumped before it.
                look.requireSameClock(PostgresValues.now(connection));
                note(connection, piece, Duration.ofNanos(System.nanoTime() - begun));
                done[0] = piece;
            }
            return place != null;
        });
        return done[0];
    }

    static void add(Connection connection, String task) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.ADD_TASK)) {
            statement.setString(1, task);
            statement.executeUpdate();
        }
    }

    private @Nullable String enter(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.ENTER_TASK)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    private void note(Connection connection, Piece piece, Duration took) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.NOTE_TASK)) {
            statement.setLong(1, piece.deleted());
            statement.setLong(2, took.toMillis());
            statement.setBoolean(3, piece.place().isEmpty());
            statement.setLong(4, RetentionSettings.pause(retention).toMillis());
            statement.setString(5, piece.place());
            statement.setString(6, name);
            statement.executeUpdate();
        }
    }
}
