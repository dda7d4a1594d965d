package io.pigeonhole.jdbc;

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
    Piece next(ShortTransactions transactions, Step step) {
        Piece[] done = new Piece[1];
        transactions.run("to forget with " + name, transaction -> {
            PlainSession session = PlainSession.of(transaction);
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
        try (Call call = session.call(RetentionStatement.HAS_TASK)) {
            if (call.text("task", name).hasRow()) {
                return;
            }
        }
        try (Call call = session.call(RetentionStatement.ADD_TASK)) {
            call.text("task", name).now().change();
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
        }
    }

    private @Nullable String enter(PlainSession session) throws SQLException {
        try (Call call = session.call(RetentionStatement.ENTER_TASK)) {
            return call.text("task", name).now().first(row -> row.getString(1));
        }
    }

    private void note(PlainSession session, Piece piece, Duration took) throws SQLException {
        try (Call call = session.call(RetentionStatement.NOTE_TASK)) {
            call.now()
                    .number("deleted", piece.deleted())
                    .number("millis", took.toMillis())
                    .flag("over", piece.place().isEmpty() && piece.rests())
                    .instant("next", session.now().plus(RetentionSettings.pause(retention)))
                    .text("place", piece.place())
                    .text("task", name)
                    .change();
        }
    }
}
