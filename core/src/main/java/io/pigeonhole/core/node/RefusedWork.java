package io.pigeonhole.core.node;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which work may begin after the database has refused to commit some, such as with a full disk. Until other work commits, one
 * piece at a time is tried, after pauses that grow. What was refused is paused by itself too: where the database refuses only
 * that, all else goes on. Safe for use by many threads.
 */
final class RefusedWork {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    /** Between two warnings of refusals that come and go. */
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    /** Between two warnings of one that stays. */
    private static final Duration WARN_AGAIN = Duration.ofMinutes(10);

    private final LongSupplier clock;
    private final Map<WorkSlot, Pause> refused = new HashMap<>();
    /** Of all work; null while work commits. */
    private @Nullable Pause pauseOfAll;
    /** The only work that may begin meanwhile. */
    private @Nullable WorkSlot trial;

    private boolean hasWarned;
    private boolean warnedSinceItCommitted;
    private long warnedAt;

    /** After a pause of this length, which ends then, the next one is twice as long. */
    private record Pause(long nanos, long end) {
        static Pause after(@Nullable Pause before, long now) {
            long nanos = before == null
                    ? FIRST_PAUSE.toNanos()
                    : Math.min(LONGEST_PAUSE.toNanos(), Math.max(FIRST_PAUSE.toNanos(), before.nanos() * 2));
            return new Pause(nanos, now + nanos);
        }

        boolean isOver(long now) {
            return now - end >= 0;
        }
    }

    /**
     * With a clock.
     *
     * @param clock nanoseconds
     */
    RefusedWork(LongSupplier clock) {
        this.clock = clock;
    }

    /** Whether the database refused the last work. */
    synchronized boolean isLast() {
        return pauseOfAll != null;
    }

    /** The database refused to commit work; answers whether to warn of it. */
    synchronized boolean refuse(WorkSlot slot) {
        long now = clock.getAsLong();
        refused.put(slot, Pause.after(refused.get(slot), now));
        // Threads that began before the first refusal are refused at the same time: that makes no pause longer.
        if (pauseOfAll == null || slot.equals(trial)) {
            pauseOfAll = Pause.after(pauseOfAll, now);
            trial = null;
        }
        return isTimeToWarn(now);
    }

    private boolean isTimeToWarn(long now) {
        Duration pause = warnedSinceItCommitted ? WARN_AGAIN : BETWEEN_WARNINGS;
        if (hasWarned && now - warnedAt < pause.toNanos()) {
            return false;
        }
        hasWarned = true;
        warnedSinceItCommitted = true;
        warnedAt = now;
        return true;
    }

    /** Work was committed: all else may begin. Answers whether that ends a refusal that was warned of. */
    synchronized boolean commit(WorkSlot slot) {
        refused.remove(slot);
        return end();
    }

    private boolean end() {
        pauseOfAll = null;
        trial = null;
        boolean warned = warnedSinceItCommitted;
        warnedSinceItCommitted = false;
        return warned;
    }

    /** There was nothing to commit, which says nothing about the database: other work is to be tried. */
    synchronized void nothing(WorkSlot slot) {
        if (pauseOfAll != null && slot.equals(trial)) {
            trial = null;
            pauseOfAll = new Pause(pauseOfAll.nanos(), clock.getAsLong() + FIRST_PAUSE.toNanos());
        }
    }

    /** Whether work may begin now; what may not is asked for again, as {@link #nextIn} says. */
    synchronized boolean mayBegin(WorkSlot slot) {
        return pauseOfAll == null ? isPauseOver(slot, clock.getAsLong()) : slot.equals(trial);
    }

    /**
     * Chooses, of all that is due, what is to be tried while the database refuses; nothing is chosen while work commits.
     *
     * @param due what is due, and would be worked on
     * @param taken what a thread is working on already
     */
    synchronized void choose(Collection<WorkSlot> due, Predicate<WorkSlot> taken) {
        long now = clock.getAsLong();
        refused.entrySet().removeIf(each -> each.getValue().isOver(now) && !due.contains(each.getKey()));
        if (pauseOfAll == null) {
            return;
        }
        if (due.isEmpty()) {
            // Others have done it, or taken it away.
            end();
            return;
        }
        if (!pauseOfAll.isOver(now)) {
            return;
        }
        List<WorkSlot> possible = due.stream()
                .filter(slot -> isPauseOver(slot, now) && !taken.test(slot))
                .toList();
        if (!possible.isEmpty()) {
            trial = possible.get(ThreadLocalRandom.current().nextInt(possible.size()));
            // One that takes long, such as a call of an external handler, keeps no other from being tried.
            pauseOfAll = new Pause(pauseOfAll.nanos(), now + LONGEST_PAUSE.toNanos());
        }
    }

    private boolean isPauseOver(WorkSlot slot, long now) {
        Pause own = refused.get(slot);
        return own == null || own.isOver(now);
    }

    /** How long until some of what was refused is to be looked for; null where nothing was. */
    synchronized @Nullable Duration nextIn() {
        long now = clock.getAsLong();
        if (pauseOfAll != null) {
            // Where it is over, nothing could be chosen, as threads are working on all that is due.
            return pauseOfAll.isOver(now) ? FIRST_PAUSE : Duration.ofNanos(pauseOfAll.end() - now);
        }
        return refused.values().stream()
                .filter(pause -> !pause.isOver(now))
                .map(pause -> Duration.ofNanos(pause.end() - now))
                .min(Duration::compareTo)
                .orElse(null);
    }
}
