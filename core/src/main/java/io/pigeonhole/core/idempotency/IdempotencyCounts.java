package io.pigeonhole.core.idempotency;

import java.util.Map;

/**
 * What became of the requests of this process since it began.
 *
 * @param outcomes how many came to each outcome; every kind is in it
 * @param failed how many failed: their handler or the database threw something
 * @param running how many are being handled now
 */
public record IdempotencyCounts(Map<RequestOutcome.Kind, Long> outcomes, long failed, int running) {
    /** Copies the map. */
    public IdempotencyCounts {
        outcomes = Map.copyOf(outcomes);
    }

    /**
     * How many came to an outcome.
     *
     * @param kind which
     * @return so many, 0 or more
     */
    public long of(RequestOutcome.Kind kind) {
        return outcomes.getOrDefault(kind, 0L);
    }
}
