package io.pigeonhole.core.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * A request that the store has already.
 *
 * @param fingerprint of what it asked for
 * @param response what it was answered with, null while it is in work; without its body where {@code bodyStored} is false
 * @param bodyStored whether the body of the response was small enough to be stored
 * @param leaseToken the fencing token of the newest lease; 0 where it was handled in one transaction
 * @param leased whether somebody has a lease on it that has not run out, by the database's clock
 */
public record KnownRequest(
        Fingerprint fingerprint,
        @Nullable StoredResponse response,
        boolean bodyStored,
        long leaseToken,
        boolean leased) {
    /** Whether it is handled in steps, or was. */
    boolean isInSteps() {
        return leaseToken != 0;
    }
}
