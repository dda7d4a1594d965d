package io.pigeonhole.core.idempotency;

import java.time.Duration;

/**
 * What a builder has collected.
 *
 * @param retention how long a key is remembered
 * @param largestBody how many bytes a stored response may have
 * @param handlerTimeout how long a handler may be idle in its transaction
 * @param duplicateTimeout how long a request waits for another one with its key
 * @param retryAfter after what time a client should try again
 * @param storesFailures whether a handler may be undone alone
 * @param node what this process is called in leases
 * @param leaseDuration how long the lease of a request in steps lasts
 */
record RequestSettings(
        Duration retention,
        int largestBody,
        Duration handlerTimeout,
        Duration duplicateTimeout,
        Duration retryAfter,
        boolean storesFailures,
        String node,
        Duration leaseDuration) {
    IdempotencyTransaction.Lease lease(long token) {
        return new IdempotencyTransaction.Lease(node, leaseDuration, token);
    }
}
