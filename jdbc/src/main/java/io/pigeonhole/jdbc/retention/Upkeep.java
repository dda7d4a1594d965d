package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.store.Retired;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A task that looks through a table piece by piece, in one pass after the other. A piece is one short transaction which also
 * writes down where it came to; its row in {@code inbox_upkeep} is locked meanwhile, so that nodes take turns. A crash leaves
 * the piece undone and the place as it was.
 *
 * @param name the task's name
 * @param look what may be deleted, and when that was found out
 * @param retention how long rows are kept
 */
public record Upkeep(String name, RetentionLook look, Duration retention) {
    /**
     * What a piece of a pass came to.
     *
     * @param place where to go on, empty at the end of the pass
     * @param deleted how many rows it deleted
     * @param rests whether the next pass waits for its time, where this one is over
     */
    public record Piece(String place, long deleted, boolean rests) {
        public Piece(String place, long deleted) {
            this(place, deleted, true);
        }
    }

    /** Does a piece, from a place on; the place is empty at the beginning of a pass. */
    @FunctionalInterface
    public interface Step {
        Piece run(AdminSession session, String place) throws SQLException;
    }

    /** Does the next piece; nothing where there is nothing to do now, or another node is at it. */
    public Retired next(ShortTransactions transactions, Step step) {
        return transactions
                .run("to delete with " + name, session -> next(session, step))
                .map(piece -> new Retired(0, piece.deleted(), true))
                .orElse(Retired.NOTHING);
    }

    private Optional<Piece> next(AdminSession session, Step step) throws SQLException {
        Instant begin = session.now();
        look.requireSameClock(begin);
        add(session, name, begin);
        String place = enter(session, begin);
        if (place == null) {
            return Optional.empty();
        }
        long begun = System.nanoTime();
        Piece piece = step.run(session, place);
        // What it deleted comes back where the clock jumped before it.
        Instant end = session.now();
        look.requireSameClock(end);
        note(session, piece, end, Duration.ofNanos(System.nanoTime() - begun));
        return Optional.of(piece);
    }

    /** Adds a task, unless it is there. */
    public static void add(AdminSession session, String task, Instant now) throws SQLException {
        try (Call call = session.call(RetentionStatement.HAS_TASK)) {
            if (call.text("task", task).hasRow()) {
                return;
            }
        }
        try (Call call = session.call(RetentionStatement.ADD_TASK)) {
            session.operations().insertUnlessThere(call.text("task", task).instant("now", now));
        }
    }

    private @Nullable String enter(AdminSession session, Instant now) throws SQLException {
        try (Call call = session.call(RetentionStatement.ENTER_TASK)) {
            return call.text("task", name).instant("now", now).first(row -> row.getString(1));
        }
    }

    private void note(AdminSession session, Piece piece, Instant now, Duration took) throws SQLException {
        try (Call call = session.call(RetentionStatement.NOTE_TASK)) {
            call.instant("now", now)
                    .number("deleted", piece.deleted())
                    .number("millis", took.toMillis())
                    .flag("over", piece.place().isEmpty() && piece.rests())
                    .instant("next", now.plus(RetentionSettings.pause(retention)))
                    .text("place", piece.place())
                    .text("task", name)
                    .change();
        }
    }
}
