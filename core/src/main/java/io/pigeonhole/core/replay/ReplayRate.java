package io.pigeonhole.core.replay;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How fast the runs of a {@link Replay} may go, all together and one after the other. Safe for use by many threads. */
final class ReplayRate {
    /** A batch that took long may be made up for, but not for longer than this. */
    private static final long MOST_CREDIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int perSecond;
    private long free = System.nanoTime();

    ReplayRate(int perSecond) {
        this.perSecond = perSecond;
    }

    /** A run begins: nothing is made up for that was before it, but what an earlier run was ahead is waited for. */
    synchronized void begin() {
        free = Math.max(free, System.nanoTime());
    }

    /** A batch of these runs has handled so many messages. What other processes handle is not to be spent here. */
    synchronized void spend(long messages) {
        if (perSecond != ReplaySettings.UNLIMITED && messages > 0) {
            long taken = Duration.ofSeconds(1)
                    .multipliedBy(messages)
                    .dividedBy(perSecond)
                    .toNanos();
            free = Math.max(free, System.nanoTime() - MOST_CREDIT_NANOS) + taken;
        }
    }

    /** When the next batch may begin, by {@link System#nanoTime}. */
    synchronized long free() {
        return free;
    }
}
