package io.pigeonhole.core.idempotency;

import java.time.Duration;

/**
 * Receives the outcome of each request, for metrics. Called on the thread of the request, after the commit; what it throws is logged
 * and changes nothing. Safe for use by many threads.
 */
public interface IdempotencyListener {
    /**
     * A request came to its outcome.
     *
     * @param operation what was done
     * @param outcome what became of it
     * @param took how long that took
     */
    default void onOutcome(String operation, RequestOutcome outcome, Duration took) {}

    /**
     * A request failed: its handler or the database threw something.
     *
     * @param operation what was to be done
     * @param failure what was thrown
     * @param took how long that took
     */
    default void onFailure(String operation, Throwable failure, Duration took) {}
}
