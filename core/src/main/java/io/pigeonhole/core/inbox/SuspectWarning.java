package io.pigeonhole.core.inbox;

import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of messages that were delivered so often that processes may have died of them. Once in a minute at most, with the number of all
 * since the last warning: after an outage of a broker that may be each batch. Safe for use by many threads.
 */
final class SuspectWarning {
    private static final Logger log = LoggerFactory.getLogger(SuspectWarning.class);

    private final String consumer;
    private final int crashLimit;
    private final LimitedWarnings warnings;

    SuspectWarning(String consumer, int crashLimit, LongSupplier nanos) {
        this.consumer = consumer;
        this.crashLimit = crashLimit;
        this.warnings = new LimitedWarnings(nanos, 1);
    }

    void give(List<Envelope> suspects) {
        long before = suspects.isEmpty() ? -1 : warnings.pass("suspects", suspects.size());
        if (before >= 0) {
            log.warn(
                    "consumer '{}': {} messages were delivered more than {} times{}, such as {}, {} times: processes may have died of"
                            + " them, so workers will process each alone and under a lease",
                    consumer,
                    before + suspects.size(),
                    crashLimit,
                    before == 0 ? "" : " since the last such warning",
                    suspects.get(0).message(),
                    suspects.get(0).message().deliveries());
        }
    }
}
