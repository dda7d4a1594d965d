package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.SkippedMessage;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.replay.ReplayRows;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/**
 * Deletes runs over the history that ended long ago, with what they skipped, and which days were exported; not the last of
 * these, nor one of which the history still has messages. Each piece is one transaction, and a crash leaves it undone. Safe for
 * use by many threads and many programs.
 */
final class OldReplays {
    private static final long FIRST = -1;

    /** Each may hold the text of an error. */
    private static final int MOST_SKIPPED = 1_000;

    /** For each of them the history is looked through, where it has no days to drop. */
    private static final int MOST_EXPORTS = 10;

    private final AdminDatabase database;
    private final int batch;

    OldReplays(AdminDatabase database, int batch) {
        this.database = database;
        this.batch = Math.min(batch, MOST_SKIPPED);
    }

    /** Deletes a piece, if there is one and nobody else is at it. */
    Retired retire(RetentionLook look) {
        long rows = database.change("to delete old replays", session -> delete(session, look))
                .orElse(0L);
        return rows == 0 ? Retired.NOTHING : new Retired(0, rows, true);
    }

    private long delete(AdminSession session, RetentionLook look) throws SQLException {
        Instant now = session.now();
        look.requireSameClock(now);
        RetentionLimits limits = look.limits();
        Instant kept = now.minus(limits.replays());
        LocalDate firstDay = RetentionSettings.firstDayKept(now, limits.history());
        long exports = deleteExports(session, kept, firstDay);
        try (Call call = session.replay(ReplayStatement.FORGET_EXPORT_MARKS)) {
            exports += call.instant("before", kept).day(firstDay).change();
        }
        String name;
        try (Call call = session.replay(ReplayStatement.OLD)) {
            name = call.instant("before", kept).first(row -> row.getString(1));
        }
        return exports + (name == null ? 0 : deleteRun(session, name));
    }

    /**
     * From the oldest day on, and none from the first one of which the history has messages: while they are held up, they are
     * known to be in the archive by this note only.
     */
    private static long deleteExports(AdminSession session, Instant kept, LocalDate firstDay) throws SQLException {
        List<LocalDate> days;
        try (Call call = session.replay(ReplayStatement.OLD_EXPORTS)) {
            days = call.instant("before", kept)
                    .day(firstDay)
                    .number("limit", MOST_EXPORTS)
                    .all(row -> row.getObject(1, LocalDate.class));
        }
        long deleted = 0;
        for (LocalDate day : days) {
            if (hasMessages(session, day)) {
                return deleted;
            }
            try (Call call = session.replay(ReplayStatement.DROP_EXPORTED)) {
                deleted += call.day(day).change();
            }
        }
        return deleted;
    }

    private static boolean hasMessages(AdminSession session, LocalDate day) throws SQLException {
        try (Call call = session.replay(ReplayStatement.HAS_MESSAGES)) {
            return call.between(start(day), start(day.plusDays(1))).first(row -> row.getInt(1)) != null;
        }
    }

    private static Instant start(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    /**
     * First what it skipped, in batches, then the run itself. One by one: where a range is deleted, MariaDB also waits for the row
     * behind its end, which is of another run.
     */
    private long deleteRun(AdminSession session, String name) throws SQLException {
        List<SkippedMessage> skipped = ReplayRows.skipped(session, name, FIRST, batch);
        if (skipped.isEmpty()) {
            try (Call call = session.replay(ReplayStatement.FORGET)) {
                return call.text("name", name).change();
            }
        }
        try (Call call = session.replay(ReplayStatement.FORGET_SKIPPED)) {
            for (SkippedMessage message : skipped) {
                call.text("name", name).number("place", message.place()).addBatch();
            }
            return call.changeBatch();
        }
    }
}
