package io.pigeonhole.core.admin;

import io.pigeonhole.core.failure.DeadReason;
import java.time.Instant;

/**
 * A message that was given up on. All instants are of the database's clock.
 *
 * @param id its place in the order of arrival
 * @param message what it is
 * @param reason why; {@link DeadReason#UNKNOWN} where a newer version recorded it
 * @param detail the reason in words; for a failure, the exception's class and text; for an unknown reason, it begins with the name
 *     that is stored
 * @param claimed whether the ledger has its key: if not, a requeue goes through the claim
 * @param blocks whether messages of its ordering key wait until somebody decides about it
 * @param attempts how many attempts are counted
 * @param seenAgain how often it was delivered again since
 * @param receivedAt when it was stored first
 * @param diedAt when it was given up on
 */
public record DeadLetterEntry(
        long id,
        MessageLabel message,
        DeadReason reason,
        String detail,
        boolean claimed,
        boolean blocks,
        int attempts,
        int seenAgain,
        Instant receivedAt,
        Instant diedAt) {}
