package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Notices that this process stood still: its machine was paused or moved, or somebody stopped it for a while. Whoever looks at
 * running calls at a regular pace comes late then, and the calls could not go on either. Not thread-safe.
 */
final class Standstill {
    private final long longestGap;
    private final LongSupplier clock;
    private long looked;

    /**
     * Begins to look.
     *
     * @param longestGap how far apart two looks may be, where the process does not stand still
     */
    Standstill(Duration longestGap, LongSupplier clock) {
        this.longestGap = longestGap.toNanos();
        this.clock = clock;
        this.looked = clock.getAsLong();
    }

    /** Begins anew, after a time without looks. */
    void restart() {
        looked = clock.getAsLong();
    }

    /** How long the process has stood still since the last look, in nanoseconds; mostly 0. */
    long look() {
        long now = clock.getAsLong();
        long gap = now - looked;
        looked = now;
        return gap > longestGap ? gap : 0;
    }
}
