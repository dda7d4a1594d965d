package io.pigeonhole.testkit.memory;

import java.time.Duration;

/** Durations as nanoseconds that can be added to {@link System#nanoTime} without running over. */
final class Nanos {
    private static final Duration LONGEST = Duration.ofDays(365);

    private Nanos() {}

    static long of(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }
}
