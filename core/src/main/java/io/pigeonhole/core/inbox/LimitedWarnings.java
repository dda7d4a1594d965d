package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Lets the first ten warnings of each reason in a minute pass, and counts the others. There are few reasons. Safe for use by many threads. */
final class LimitedWarnings {
    static final int IN_A_MINUTE = 10;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanos;
    private final Map<String, Window> windows = new HashMap<>();

    private static final class Window {
        private long begun;
        private int given;
        private long suppressed;
    }

    LimitedWarnings(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** How many of this reason were suppressed since the last that passed; -1 where this one is suppressed too. */
    synchronized long pass(String reason) {
        long now = nanos.getAsLong();
        Window window = windows.computeIfAbsent(reason, any -> new Window());
        if (window.given == 0 || now - window.begun >= MINUTE) {
            window.begun = now;
            window.given = 0;
        }
        if (window.given == IN_A_MINUTE) {
            window.suppressed++;
            return -1;
        }
        window.given++;
        long before = window.suppressed;
        window.suppressed = 0;
        return before;
    }
}
