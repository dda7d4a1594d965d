package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.admin.AuditedChange;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link RetentionClock} of a schema, which all its programs move. Each look is a transaction; a crash leaves it where it
 * was. Safe for use by many threads and many programs.
 */
final class RetentionClockRow {
    private static final Logger log = LoggerFactory.getLogger(RetentionClockRow.class);
    private static final long HOUR = Duration.ofHours(1).toNanos();

    /** No node holds a task for longer, by a clock that is right. */
    private static final Duration LONGEST_TASK = Duration.ofMinutes(5);

    private final LongSupplier nanos;

    /** When this program last read the row, or tried to: only the time since then is known not to be an outage. */
    private long tried;

    /** How long it ran before that, by looks at the row as it is now: looks that come often do not move it each time. */
    private Duration ran = Duration.ZERO;

    /** What the row said at the last look. */
    private @Nullable Instant seen;

    private long warned;

    /**
     * The clock of a schema.
     *
     * @param nanos the time, by a clock that cannot jump
     */
    RetentionClockRow(LongSupplier nanos) {
        this.nanos = nanos;
        this.tried = nanos.getAsLong();
        this.warned = tried - HOUR;
    }

    /** The row could not be read: what passed until now may have been an outage, in which nothing was processed either. */
    synchronized void missed() {
        tried = nanos.getAsLong();
        ran = Duration.ZERO;
    }

    /**
     * Moves the clock where it has to be. Answers how much older things have to be to be deleted; null where the database's
     * clock is so doubtful that nothing is to be touched.
     */
    @Nullable
    Duration look(AdminSession session, RetentionClock read, Instant now, Duration window) throws SQLException {
        RetentionClock clock = read;
        Instant machine = SystemTime.clock().instant();
        boolean doubtful = RetentionClock.isDoubtful(now, machine);
        Duration alive = alive(clock.seen(), doubtful);
        if (!doubtful && !isSame(clock.seen(), now)) {
            clock = move(session, clock, now, alive, window);
        }
        Duration behind = clock.behind(now);
        if (behind.compareTo(RetentionClock.TOLERANCE) > 0) {
            warn(now, machine, behind, doubtful);
            return doubtful ? null : behind;
        }
        return behind;
    }

    /** How long this program has run since the row was moved, or since its last look where another program has moved it. */
    private synchronized Duration alive(Instant inRow, boolean doubtful) {
        long before = tried;
        tried = nanos.getAsLong();
        Duration sinceLastLook = Duration.ofNanos(tried - before);
        Duration alive = inRow.equals(seen) ? ran.plus(sinceLastLook) : sinceLastLook;
        seen = inRow;
        ran = doubtful ? Duration.ZERO : alive;
        return alive;
    }

    private static boolean isSame(Instant seen, Instant now) {
        return Duration.between(seen, now).abs().compareTo(RetentionClock.PRECISION) < 0;
    }

    static RetentionClock read(AdminSession session) throws SQLException {
        try (Call call = session.call(RetentionRuleStatement.CLOCK)) {
            @Nullable
            RetentionClock clock = call.first(row -> new RetentionClock(
                    session.rows().instant(row, 1), session.rows().instant(row, 2)));
            if (clock == null) {
                throw new ConfigurationException("inbox_clock has no row: put back the one that the schema came with");
            }
            return clock;
        }
    }

    /**
     * Only where nobody has moved it since it was read. Without the monitor: others go on where the database does not answer, and by
     * the same time only one of them moves it.
     */
    private static RetentionClock move(
            AdminSession session, RetentionClock clock, Instant now, Duration alive, Duration window)
            throws SQLException {
        RetentionClock moved = clock.after(now, alive, window);
        try (Call call = session.call(RetentionRuleStatement.MOVE_CLOCK)) {
            if (call.instant("seen", moved.seen())
                            .instant("trusted", moved.trusted())
                            .instant("before", clock.seen())
                            .change()
                    == 0) {
                return clock;
            }
        }
        return moved;
    }

    /** Once in an hour. */
    private synchronized void warn(Instant now, Instant machine, Duration behind, boolean doubtful) {
        if (nanos.getAsLong() - warned < HOUR) {
            return;
        }
        warned = nanos.getAsLong();
        if (doubtful) {
            log.warn(
                    "nothing more is deleted: the database's clock says {}, this machine's {}. Set right the one that is"
                            + " wrong; or, if the database is right, call Admin.confirmClock",
                    now,
                    machine);
        } else {
            log.warn(
                    "nothing maintained this schema for a while, or the database's clock, which says {}, was moved: what is"
                            + " past its time is deleted {} later than usual, and this catches up as time passes."
                            + " Admin.confirmClock ends it; do that once no source has messages from before",
                    now,
                    DurationText.of(behind));
        }
    }

    /** Ages count from what the database's clock says, from now on. */
    static Answer confirm(AdminDatabase database, Author by) {
        return database.change("to confirm the clock", session -> {
                    Instant now = session.now();
                    RetentionClock before = read(session);
                    int pulledBack = pullBack(session, now);
                    if (before.isConfirmed(now) && pulledBack == 0) {
                        return Answers.isConfirmed();
                    }
                    try (Call call = session.call(RetentionRuleStatement.CONFIRM_CLOCK)) {
                        call.instant("now", now).changeLocked();
                    }
                    try (Call call = session.call(RetentionRuleStatement.RESTART_TASKS)) {
                        call.instant("now", now).change();
                    }
                    try (Call call = session.call(RetentionRuleStatement.FREE_TASKS)) {
                        call.instant("now", now)
                                .instant("latest", now.plus(LONGEST_TASK))
                                .change();
                    }
                    String detail = Answers.ofClock(before.trusted(), now, pulledBack);
                    AuditedChange.audit(session, "", by, AdminAction.CONFIRM_CLOCK, null, detail, 1);
                    return Answer.done(detail);
                })
                .orElseGet(Answers::busy);
    }

    /**
     * What was changed while the clock was ahead would wait until it is there again, and an age that begins in the future ends
     * too late. Answers how many messages.
     */
    private static int pullBack(AdminSession session, Instant now) throws SQLException {
        Instant future = now.plus(RetentionClock.PRECISION);
        int waiting;
        int young;
        try (Call call = session.call(RetentionRuleStatement.PULL_BACK)) {
            waiting = call.instant("now", now).instant("future", future).change();
        }
        try (Call call = session.call(RetentionRuleStatement.PULL_BACK_AGES)) {
            young = call.instant("now", now).instant("future", future).change();
        }
        requireNoneLeft(session, future);
        return Math.max(waiting, young);
    }

    /** MariaDB may change nothing, and report no error, where a statement is cancelled. */
    private static void requireNoneLeft(AdminSession session, Instant future) throws SQLException {
        try (Call call = session.call(RetentionRuleStatement.COUNT_IN_FUTURE)) {
            Integer left = call.instant("future", future).first(row -> row.getInt(1));
            if (left == null || left > 0) {
                throw Call.tooFewChanged(0, left == null ? 1 : left);
            }
        }
    }
}
