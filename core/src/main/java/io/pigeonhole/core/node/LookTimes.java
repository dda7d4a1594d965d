package io.pigeonhole.core.node;

import java.time.Duration;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Moments, by {@link System#nanoTime}, at which there will be something to find. The database answers only what is due first: with an order
 * that may be a message which waits behind another, and hides when that one is due. Of many, the farthest are forgotten; those are found a
 * little later. Not thread-safe.
 */
final class LookTimes {
    static final int MOST = 1_000;
    /** One look is enough for all within such a time. */
    static final long NEAR_NANOS = Duration.ofMillis(50).toNanos();

    private final NavigableSet<Long> times = new TreeSet<>((some, other) -> Long.signum(some - other));

    void add(long time) {
        Long next = times.ceiling(time);
        if (next != null && next - time <= NEAR_NANOS) {
            return;
        }
        times.add(time);
        if (times.size() > MOST) {
            times.pollLast();
        }
    }

    /** The first one behind a moment, or null; those until then are forgotten. */
    @Nullable
    Long firstAfter(long moment) {
        times.headSet(moment, true).clear();
        return times.isEmpty() ? null : times.first();
    }
}
