package io.pigeonhole.core.retry;

import java.time.Duration;

/** How long to wait before the next attempt. Must be safe for use by many threads and give the same for the same count. */
@FunctionalInterface
public interface Delays {
    /**
     * The delay after a failed attempt.
     *
     * @param attempts how many attempts have failed, at least 1
     * @return the delay, from zero to 365 days; with another one the standard policy holds
     */
    Duration after(int attempts);

    /**
     * Each delay is the one before it times a factor, up to a ceiling.
     *
     * @param first the delay after the first failed attempt, not negative
     * @param factor from 1 to 1000
     * @param ceiling what no delay exceeds, from {@code first} to 365 days
     * @return the delays
     * @throws IllegalArgumentException if a value is out of its range
     */
    static Delays exponential(Duration first, double factor, Duration ceiling) {
        return new ExponentialDelays(first, factor, ceiling);
    }
}
