package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Lets the first few warnings of each reason in a minute pass, ten unless it is told otherwise, and counts the others. There are few reasons. Safe for use by many threads. */
final class LimitedWarnings {
    static final int IN_A_MINUTE = 10;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanos;
    private final int inAMinute;
    private final Map<String, Window> windows = new HashMap<>();

    private static final class Window {
        private long begun;
        private int given;
        private long suppressed;
    }

    LimitedWarnings(LongSupplier nanos) {
        this(nanos, IN_A_MINUTE);
    }

    LimitedWarnings(LongSupplier nanos, int inAMinute) {
        this.nanos = nanos;
        this.inAMinute = inAMinute;
    }

    /** How many of this reason were suppressed since the last that passed; -1 where this one is suppressed too. */
    long pass(String reason) {
        return pass(reason, 1);
    }

    /** The same for a warning of several: how many of them were suppressed. */
    synchronized long pass(String reason, int count) {
        long now = nanos.getAsLong();
        Window window = windows.computeIfAbsent(reason, any -> new Window());
        if (window.given == 0 || now - window.begun >= MINUTE) {
            window.begun = now;
            window.given = 0;
        }
        if (window.given == inAMinute) {
            window.suppressed += count;
            return -1;
        }
        window.given++;
        long before = window.suppressed;
        window.suppressed = 0;
        return before;
    }
}
