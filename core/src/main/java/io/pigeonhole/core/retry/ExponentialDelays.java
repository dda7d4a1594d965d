package io.pigeonhole.core.retry;

import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.LongestDuration;
import java.time.Duration;

/** Delays that grow by a factor up to a ceiling. */
record ExponentialDelays(Duration first, double factor, Duration ceiling) implements Delays {
    ExponentialDelays {
        require(!first.isNegative(), "first delay " + DurationText.of(first) + " is negative");
        require(factor >= 1 && factor <= 1_000, "factor " + factor + " is not between 1 and 1000");
        require(
                !LongestDuration.isExceededBy(ceiling),
                "ceiling " + DurationText.of(ceiling) + " is more than " + LongestDuration.DAYS + " days");
        require(
                ceiling.compareTo(first) >= 0,
                "ceiling " + DurationText.of(ceiling) + " is below the first delay " + DurationText.of(first));
    }

    @Override
    public Duration after(int attempts) {
        double millis = (double) first.toMillis() * Math.pow(factor, attempts - 1.0);
        return Duration.ofMillis((long) Math.min(millis, (double) ceiling.toMillis()));
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException("retry policy: " + otherwise);
        }
    }
}
