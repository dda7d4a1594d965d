package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.admin.TableSize;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.time.SystemTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;

/** What is deleted after its time: keys, history, attempts, and what people did. Used under the lock of the tables. */
final class MemoryRetention {
    static final Duration WINDOW = Duration.ofDays(7);
    private static final Duration HISTORY = Duration.ofDays(30);
    private static final Duration ATTEMPTS = Duration.ofDays(30);
    private static final Duration AUDIT = Duration.ofDays(365);
    private static final Duration REPLAYS = Duration.ofDays(365);

    /** The last that a key can hold. */
    private static final long LAST_MILLIS = (1L << 48) - 1;

    private MemoryRetention() {}

    static Retired run(Tables tables) {
        Instant now = look(tables);
        long before = size(tables);
        Instant kept = now.minus(WINDOW);
        MessageKey oldest = MessageKey.firstOf(kept.truncatedTo(ChronoUnit.DAYS).toEpochMilli());
        if (tables.oldest.compareTo(oldest) < 0 && oldest.compareTo(tables.newest) <= 0) {
            tables.moveBounds(oldest, tables.newest);
        }
        tables.ledger
                .entrySet()
                .removeIf(entry -> !entry.getKey().key().isTimeForm()
                        && entry.getValue().at().isBefore(kept)
                        && !isUnfinished(tables, entry.getKey()));
        Instant day = now.minus(HISTORY).truncatedTo(ChronoUnit.DAYS);
        Set<LocalDate> needed = MemoryReplays.daysNeeded(tables);
        tables.history.removeIf(finished ->
                finished.at().isBefore(day) && !needed.contains(LocalDate.ofInstant(finished.at(), ZoneOffset.UTC)));
        tables.attempts.removeIf(attempt ->
                attempt.entry().startedAt().isBefore(now.minus(ATTEMPTS)) && !isUnfinished(tables, attempt.row()));
        tables.audit.removeIf(entry -> entry.at().isBefore(now.minus(AUDIT)));
        deleteReplays(tables, now.minus(REPLAYS), day);
        return new Retired(0, before - size(tables), false);
    }

    /** Runs that ended long ago, of whose messages the history has none any more, with what they skipped, and exports. */
    private static void deleteReplays(Tables tables, Instant kept, Instant firstDay) {
        tables.replays
                .values()
                .removeIf(run -> run.state().isFinal()
                        && run.updatedAt().isBefore(kept)
                        && tables.history.stream()
                                .noneMatch(each ->
                                        each.consumer() == run.consumer().id() && each.place() <= run.cutoff()));
        tables.skipped.removeIf(each -> !tables.replays.containsKey(each.replay()));
        LocalDate first = LocalDate.ofInstant(kept.isBefore(firstDay) ? kept : firstDay, ZoneOffset.UTC);
        tables.exported.keySet().removeIf(exported -> exported.isBefore(first));
    }

    /** Moves the clock from which ages count, and answers what it says. */
    private static Instant look(Tables tables) {
        Instant now = tables.now();
        if (!RetentionClock.isDoubtful(now, SystemTime.clock().instant())) {
            long nanos = System.nanoTime();
            tables.retentionClock = tables.retentionClock.after(now, Duration.ofNanos(nanos - tables.lookedAt), WINDOW);
            tables.lookedAt = nanos;
        }
        return now.minus(tables.retentionClock.behind(now));
    }

    static Answer confirmClock(Tables tables, Author by) {
        Instant now = tables.now();
        Instant before = tables.retentionClock.trusted();
        if (tables.retentionClock.isConfirmed(now)) {
            return Answers.isConfirmed();
        }
        tables.retentionClock = RetentionClock.confirmed(now);
        tables.note(by, AdminAction.CONFIRM_CLOCK, "", null, Answers.ofClock(before, now), 1);
        return Answer.done(Answers.ofClock(before, now));
    }

    static Sizes sizes(Tables tables) {
        Instant now = tables.now();
        Instant end = Instant.ofEpochMilli(tables.newest.isTimeForm() ? tables.newest.epochMillis() : LAST_MILLIS);
        return new Sizes(
                List.of(
                        new TableSize("inbox_attempt", tables.attempts.size(), null),
                        new TableSize("inbox_audit", tables.audit.size(), null),
                        new TableSize("inbox_dead_letter", tables.letterRows.size(), null),
                        new TableSize("inbox_history", tables.history.size(), null),
                        new TableSize("inbox_ledger", tables.ledger.size(), null),
                        new TableSize("inbox_work", tables.work.size(), null)),
                WINDOW,
                Instant.ofEpochMilli(tables.oldest.epochMillis()),
                end,
                (int) Math.max(
                        0,
                        ChronoUnit.DAYS.between(
                                now.truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS),
                                end.truncatedTo(ChronoUnit.DAYS))),
                List.of());
    }

    private static boolean isUnfinished(Tables tables, Row row) {
        return tables.work.containsKey(row) || tables.letterRows.containsKey(row);
    }

    private static long size(Tables tables) {
        return (long) tables.ledger.size()
                + tables.history.size()
                + tables.attempts.size()
                + tables.audit.size()
                + tables.replays.size()
                + tables.skipped.size()
                + tables.exported.size();
    }
}
