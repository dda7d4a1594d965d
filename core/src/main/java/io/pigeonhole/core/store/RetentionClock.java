package io.pigeonhole.core.store;

import java.time.Duration;
import java.time.Instant;

/**
 * The time from which ages count for retention. It follows the store's clock while something maintains the store, and
 * never jumps: after an outage, or a jump of the clock, it goes on from where it was, twice as fast as time passes, until it
 * has caught up. So what comes again after an outage of any length still meets its key, and a clock that went wrong for an
 * hour costs nothing. Stores keep it in one row; {@link io.pigeonhole.core.admin.Admin#confirmClock} sets it.
 *
 * @param seen what the store's clock said when somebody looked last
 * @param trusted the time that counts, if the store's clock is not behind it
 */
public record RetentionClock(Instant seen, Instant trusted) {
    /** How far the store's clock may be ahead of the machine's. */
    public static final Duration TOLERANCE = Duration.ofDays(1);

    /** What is closer to the store's clock counts as the same. */
    public static final Duration PRECISION = Duration.ofMinutes(1);

    private static final Duration LONGEST_STEP = Duration.ofDays(1);

    /** Twice the time between two looks that are an hour apart, with some to spare: more is known of no program. */
    private static final Duration LONGEST_CATCH_UP = Duration.ofHours(4);

    /**
     * The clock after somebody confirmed what the store's clock says.
     *
     * @param now by the store's clock
     * @return the clock, caught up
     */
    public static RetentionClock confirmed(Instant now) {
        return new RetentionClock(now, now);
    }

    /**
     * Whether the store's clock is so far ahead of the machine's that one of them must be wrong. Then nothing more is deleted.
     *
     * @param now by the store's clock
     * @param machine by the machine's clock
     * @return true if they are more than {@link #TOLERANCE} apart
     */
    public static boolean isDoubtful(Instant now, Instant machine) {
        return now.isAfter(machine.plus(TOLERANCE));
    }

    /**
     * The clock after a look. It goes on by the time that passed since the last look, but by no more than a quarter of the
     * window, at most a day; or by twice the time for which the program that looks is known to have run and to have reached the store,
     * but by no more than four hours, or the same part of the window: what was between two looks far apart nobody knows.
     *
     * @param now by the store's clock
     * @param alive how long the program has run since it moved the clock, or tried to look and failed, or since its last look
     *     where another program moved the clock; by a time that cannot jump. Time in which it could not reach the store does not count
     * @param window for how long keys are remembered
     * @return the clock
     */
    public RetentionClock after(Instant now, Duration alive, Duration window) {
        if (!trusted.isBefore(now)) {
            return new RetentionClock(now, trusted);
        }
        Duration passed = seen.isBefore(now) ? Duration.between(seen, now) : Duration.ZERO;
        Duration step = shorter(passed, longestStep(window));
        Duration caughtUp = shorter(shorter(passed, alive).multipliedBy(2), longestCatchUp(window));
        Instant next = trusted.plus(longer(step, caughtUp));
        return new RetentionClock(now, next.isBefore(now) ? next : now);
    }

    /**
     * The longest time between two looks after which the clock still catches up twice as fast as time passes.
     *
     * @param window for how long keys are remembered
     * @return from two to twelve hours
     */
    public static Duration longestInterval(Duration window) {
        return longestCatchUp(window).dividedBy(2);
    }

    private static Duration longestStep(Duration window) {
        return shorter(window.dividedBy(4), LONGEST_STEP);
    }

    private static Duration longestCatchUp(Duration window) {
        return longer(longestStep(window), LONGEST_CATCH_UP);
    }

    /**
     * How much older than by the store's clock something has to be before it is deleted.
     *
     * @param now by the store's clock
     * @return not negative; zero where the clock has caught up
     */
    public Duration behind(Instant now) {
        return trusted.isBefore(now) ? Duration.between(trusted, now) : Duration.ZERO;
    }

    /**
     * Whether ages count from what the store's clock says.
     *
     * @param now by the store's clock
     * @return true if they are less than {@link #PRECISION} apart
     */
    public boolean isConfirmed(Instant now) {
        return Duration.between(trusted, now).abs().compareTo(PRECISION) < 0;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
