package io.pigeonhole.jdbc;

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
        Piece run(AdminSession session, String place) throws SQLException;
    }

    /** The next piece; null where there is nothing to do now, or another node is at it. */
    @Nullable
    Piece next(ShortTransactions transactions, Step step) {
        Piece[] done = new Piece[1];
        transactions.run("to forget with " + name, session -> {
            done[0] = null;
            add(session, name);
            String place = enter(session);
            if (place != null) {
                long begun = System.nanoTime();
                Piece piece = step.run(session, place);
                // What it deleted comes back where the clock jumped before it.
                look.requireSameClock(session.now());
                note(session, piece, Duration.ofNanos(System.nanoTime() - begun));
                done[0] = piece;
            }
            return place != null;
        });
        return done[0];
    }

    static void add(AdminSession session, String task) throws SQLException {
        try (Call call = session.call(PostgresRetentionStatement.ADD_TASK)) {
            call.text("task", task).change();
        }
    }

    private @Nullable String enter(AdminSession session) throws SQLException {
        try (Call call = session.call(PostgresRetentionStatement.ENTER_TASK)) {
            return call.text("task", name).first(row -> row.getString(1));
        }
    }

    private void note(AdminSession session, Piece piece, Duration took) throws SQLException {
        try (Call call = session.call(PostgresRetentionStatement.NOTE_TASK)) {
            call.number("deleted", piece.deleted())
                    .number("millis", took.toMillis())
                    .flag("over", piece.place().isEmpty())
                    .number("pause", RetentionSettings.pause(retention).toMillis())
                    .text("place", piece.place())
                    .text("task", name)
                    .change();
        }
    }
}
