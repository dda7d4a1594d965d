package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long a call of the application has taken, without one time in which the process stood still. Not more than one, so that looks
 * that are slow for another reason do not let a call hang for ever. Not thread-safe.
 */
final class CallTime {
    private final LongSupplier clock;
    private long since;
    private boolean stoodStill;

    /** Begins now. */
    CallTime(LongSupplier clock) {
        this.clock = clock;
        begin();
    }

    /** Begins anew: what was before does not count. */
    void begin() {
        since = clock.getAsLong();
        stoodStill = false;
    }

    /** Does not count a time in which the process stood still; nothing where it is 0. */
    void forgive(long nanos) {
        if (nanos > 0 && !stoodStill) {
            stoodStill = true;
            since = Math.min(since + nanos, clock.getAsLong());
        }
    }

    boolean isAtLeast(Duration duration) {
        return taken().compareTo(duration) >= 0;
    }

    Duration taken() {
        return Duration.ofNanos(clock.getAsLong() - since);
    }
}
