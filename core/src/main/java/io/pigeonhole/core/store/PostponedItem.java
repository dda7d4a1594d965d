package io.pigeonhole.core.store;

import java.time.Duration;

/**
 * A message in work that failed again.
 *
 * @param item the message, taken or leased
 * @param dueIn how long from now, by the database's clock, until it is due again
 * @param attempt the attempt that failed
 */
public record PostponedItem(WorkItem item, Duration dueIn, FailedAttempt attempt) {}
