package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.SkippedMessage;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;

/**
 * Forgets runs over the history that ended long ago, with what they skipped, and which days were exported. Each piece is one
 * transaction, and a crash leaves it undone. Safe for use by many threads and many programs.
 */
final class OldReplays {
    private static final long FIRST = -1;

    /** Each may hold the text of an error. */
    private static final int MOST_SKIPPED = 1_000;

    private final AdminDatabase database;
    private final int batch;

    OldReplays(AdminDatabase database, int batch) {
        this.database = database;
        this.batch = Math.min(batch, MOST_SKIPPED);
    }

    /** Forgets a piece, if there is one and nobody else is at it. */
    Retired retire(RetentionLimits limits) {
        long rows = database.change("to forget old replays", session -> forget(session, limits))
                .orElse(0L);
        return rows == 0 ? Retired.NOTHING : new Retired(0, rows, true);
    }

    private long forget(AdminDatabase.Session session, RetentionLimits limits) throws SQLException {
        Instant now = session.now();
        Instant kept = now.minus(limits.replays());
        LocalDate firstDay = RetentionSettings.firstDayKept(now, limits.history());
        long exports;
        try (AdminCall call = session.replay(ReplayStatement.FORGET_EXPORTS)) {
            exports = call.instant(kept).day(firstDay).change();
        }
        String name;
        try (AdminCall call = session.replay(ReplayStatement.OLD)) {
            name = call.instant(kept).first(row -> row.getString(1));
        }
        return exports + (name == null ? 0 : forgetRun(session, name));
    }

    /** First what it skipped, in batches, then the run itself. */
    private long forgetRun(AdminDatabase.Session session, String name) throws SQLException {
        List<SkippedMessage> skipped = ReplayRows.skipped(session, name, FIRST, batch);
        if (skipped.isEmpty()) {
            try (AdminCall call = session.replay(ReplayStatement.FORGET)) {
                return call.text(name).change();
            }
        }
        try (AdminCall call = session.replay(ReplayStatement.FORGET_SKIPPED)) {
            return call.text(name).id(skipped.get(skipped.size() - 1).place()).change();
        }
    }
}
