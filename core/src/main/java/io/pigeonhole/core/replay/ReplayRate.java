package io.pigeonhole.core.replay;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** How fast the runs of a {@link Replay} may go, all together and one after the other. Safe for use by many threads. */
final class ReplayRate {
    /** A batch that took long may be made up for, but not for longer than this. */
    private static final long MOST_CREDIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int perSecond;
    private final AtomicLong free = new AtomicLong(System.nanoTime());

    ReplayRate(int perSecond) {
        this.perSecond = perSecond;
    }

    /** A run begins: nothing is made up for that was before it, but what an earlier run was ahead is waited for. */
    void begin() {
        free.accumulateAndGet(System.nanoTime(), Math::max);
    }

    /** So many messages were handled. */
    void spend(long messages) {
        if (perSecond != ReplaySettings.UNLIMITED && messages > 0) {
            long taken = Duration.ofSeconds(1)
                    .multipliedBy(messages)
                    .dividedBy(perSecond)
                    .toNanos();
            long earliest = System.nanoTime() - MOST_CREDIT_NANOS;
            free.updateAndGet(before -> Math.max(before, earliest) + taken);
        }
    }

    /** When the next batch may begin, by {@link System#nanoTime}. */
    long free() {
        return free.get();
    }
}
