package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.failure.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;

/**
 * What may be deleted, and when that was found out. Its limits count from a clock that was found to be right: whoever uses
 * them asks first whether the database's clock has jumped since, as it does when a machine that stood still goes on.
 *
 * @param at by the database's clock
 * @param limits how old something has to be to be deleted
 */
public record RetentionLook(Instant at, RetentionLimits limits) {
    /** Nothing that a piece of the upkeep waits for takes longer. */
    private static final Duration LONGEST = Duration.ofHours(1);

    /**
     * Refuses to go on where the clock has jumped.
     *
     * @param now by the database's clock
     * @throws StoreUnavailableException if it did; the next look finds out what the clock is worth
     */
    void requireSameClock(Instant now) {
        if (Duration.between(at, now).compareTo(LONGEST) > 0) {
            throw new StoreUnavailableException(
                    "the database's clock went from " + at + " to " + now
                            + " between two statements: nothing is deleted until it is looked at again",
                    null);
        }
    }

    /** Whether a day of the history is past its time, by a clock that says {@code now}. */
    public boolean isPastInHistory(LocalDate day, Instant now) {
        return day.isBefore(RetentionSettings.firstDayKept(now, limits.history()));
    }
}
