package io.pigeonhole.core.relay;

import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;

/** How a relay works. */
record RelaySettings(
        String node, RetryPolicy retry, int concurrency, int batchSize, long batchBytes, Duration publishTimeout) {
    /** What a transaction may be idle for beyond the time that is given to the publisher. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    /** How long a transaction may be idle while messages are published. */
    Duration idleLimit() {
        return publishTimeout.plus(MARGIN);
    }
}
