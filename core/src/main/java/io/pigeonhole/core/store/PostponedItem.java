package io.pigeonhole.core.store;

import java.time.Duration;

/**
 * A message in work that failed again, or that only waits for somebody who can handle it.
 *
 * @param item the message, taken or leased
 * @param dueIn how long from now, by the database's clock, until it is due again
 * @param attempt the attempt that failed; of a message that only waits, how many attempts it keeps, and why it waits
 * @param isNoted whether it is kept with the attempts that failed; why a message waits is shown as its last error only
 */
public record PostponedItem(WorkItem item, Duration dueIn, FailedAttempt attempt, boolean isNoted) {
    /**
     * A message that failed again.
     *
     * @param item the message, taken or leased
     * @param dueIn how long from now, by the database's clock, until it is due again
     * @param attempt the attempt that failed
     */
    public PostponedItem(WorkItem item, Duration dueIn, FailedAttempt attempt) {
        this(item, dueIn, attempt, true);
    }
}
