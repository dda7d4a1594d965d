package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.store.MaintenanceWindow;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * For how long a store remembers what.
 *
 * @param window keys, at least
 * @param history finished messages, where a consumer records them
 * @param attempts attempts that failed, of messages that are finished
 * @param audit what people did
 * @param replays runs over the history that have ended, what they skipped, and exports
 * @param hours when it may delete, null for always
 * @param batch how many rows it looks through at once, about
 * @param archive where a day of the history must be before it goes, null for nowhere
 */
public record RetentionSettings(
        Duration window,
        Duration history,
        Duration attempts,
        Duration audit,
        Duration replays,
        @Nullable MaintenanceWindow hours,
        int batch,
        @Nullable HistoryArchive archive) {
    private static final Duration SHORTEST = Duration.ofHours(1);

    public static final RetentionSettings STANDARD = new RetentionSettings(
            Duration.ofDays(7),
            Duration.ofDays(30),
            Duration.ofDays(30),
            Duration.ofDays(365),
            Duration.ofDays(365),
            null,
            5_000,
            null);

    /** In days. Ids whose time lies far ahead are recognised as long as no window is longer. */
    private static final int LONGEST_WINDOW = 366;

    private static final Duration LONGEST_PAUSE = Duration.ofDays(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMinutes(1);

    public RetentionSettings {
        require(
                window.compareTo(SHORTEST) >= 0 && window.toDays() <= LONGEST_WINDOW,
                "window " + DurationText.of(window) + " is not from 1 hour to " + LONGEST_WINDOW
                        + " days; what must stay unique for longer needs a unique key of its own in your tables");
        require(history, "historyRetention");
        require(attempts, "attemptRetention");
        require(audit, "auditRetention");
        require(replays, "replayRetention");
        require(batch >= 100 && batch <= 1_000_000, "purgeBatch " + batch + " is not from 100 to 1000000");
    }

    private static void require(Duration duration, String name) {
        require(
                duration.compareTo(SHORTEST) >= 0 && duration.toDays() <= 36_500,
                name + " " + DurationText.of(duration) + " is not from 1 hour to 100 years");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    public RetentionSettings withWindow(Duration other) {
        return new RetentionSettings(other, history, attempts, audit, replays, hours, batch, archive);
    }

    public RetentionSettings withHistory(Duration other) {
        return new RetentionSettings(window, other, attempts, audit, replays, hours, batch, archive);
    }

    public RetentionSettings withAttempts(Duration other) {
        return new RetentionSettings(window, history, other, audit, replays, hours, batch, archive);
    }

    public RetentionSettings withAudit(Duration other) {
        return new RetentionSettings(window, history, attempts, other, replays, hours, batch, archive);
    }

    public RetentionSettings withReplays(Duration other) {
        return new RetentionSettings(window, history, attempts, audit, other, hours, batch, archive);
    }

    public RetentionSettings withHours(MaintenanceWindow other) {
        return new RetentionSettings(window, history, attempts, audit, replays, other, batch, archive);
    }

    public RetentionSettings withBatch(int other) {
        return new RetentionSettings(window, history, attempts, audit, replays, hours, other, archive);
    }

    public RetentionSettings withArchive(HistoryArchive other) {
        return new RetentionSettings(window, history, attempts, audit, replays, hours, batch, other);
    }

    /** As this program wants it. */
    RetentionLimits limits() {
        return new RetentionLimits(
                window, history, attempts, audit, replays, archive == null ? Duration.ZERO : history);
    }

    /** Whether now is no time to delete anything. */
    boolean rests(Instant now) {
        return hours != null && !hours.contains(now);
    }

    /** The first day that is kept, in UTC: days that ended before are past their time as a whole. */
    static LocalDate firstDayKept(Instant now, Duration retention) {
        return LocalDate.ofInstant(now.minus(retention), ZoneOffset.UTC);
    }

    /** From the end of one look through all rows to the beginning of the next: an eighth of their time, a day at most. */
    static Duration pause(Duration retention) {
        Duration eighth = retention.dividedBy(8);
        if (eighth.compareTo(LONGEST_PAUSE) > 0) {
            return LONGEST_PAUSE;
        }
        return eighth.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : eighth;
    }
}
