package io.pigeonhole.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What {@link PostgresUpkeep} is on PostgreSQL: a task that looks through a table piece by piece, each in one transaction
 * that also writes down where it came to.
 *
 * @param name the task's name
 * @param look what may be forgotten, and when that was found out
 * @param retention how long rows are kept
 */
record PlainUpkeep(String name, RetentionLook look, Duration retention) {
    /**
     * What a piece of a pass came to.
     *
     * @param place where to go on, empty at the end of the pass
     * @param deleted how many rows it deleted
     * @param rests whether the next pass waits for its time, where this one is over
     */
    record Piece(String place, long deleted, boolean rests) {
        Piece(String place, long deleted) {
            this(place, deleted, true);
        }
    }

    /** Does a piece, from a place on; the place is empty at the beginning of a pass. */
    @FunctionalInterface
    interface Step {
        Piece run(PlainSession session, String place) throws SQLException;
    }

    /** The next piece; null where there is nothing to do now, or another node is at it. */
    @Nullable
    Piece next(ConnectionSource connections, Dialect dialect, Step step) {
        Piece[] done = new Piece[1];
        PlainErrand.run(connections, dialect, "to forget with " + name, session -> {
            done[0] = null;
            look.requireSameClock(session.now());
            add(session);
            String place = enter(session);
            if (place != null) {
                long begun = System.nanoTime();
                Piece piece = step.run(session, place);
                note(session, piece, Duration.ofNanos(System.nanoTime() - begun));
                done[0] = piece;
            }
            return place != null;
        });
        return done[0];
    }

    private void add(PlainSession session) throws SQLException {
        try (PreparedStatement statement = session.prepare(RetentionStatement.HAS_TASK)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    return;
                }
            }
        }
        try (PreparedStatement statement = session.prepare(RetentionStatement.ADD_TASK)) {
            statement.setString(1, name);
            for (int i = 2; i <= 4; i++) {
                statement.setObject(i, session.timestamp());
            }
            statement.executeUpdate();
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
        }
    }

    private @Nullable String enter(PlainSession session) throws SQLException {
        try (PreparedStatement statement = session.prepare(RetentionStatement.ENTER_TASK)) {
            statement.setString(1, name);
            statement.setObject(2, session.timestamp());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    private void note(PlainSession session, Piece piece, Duration took) throws SQLException {
        try (PreparedStatement statement = session.prepare(RetentionStatement.NOTE_TASK)) {
            statement.setObject(1, session.timestamp());
            statement.setLong(2, piece.deleted());
            statement.setLong(3, took.toMillis());
            statement.setBoolean(4, piece.place().isEmpty() && piece.rests());
            statement.setObject(5, PlainSession.timestamp(session.now().plus(RetentionSettings.pause(retention))));
            statement.setString(6, piece.place());
            statement.setString(7, name);
            statement.executeUpdate();
        }
    }
}
