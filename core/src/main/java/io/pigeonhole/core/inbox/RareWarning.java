package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/** Warns not more often than every ten minutes. Safe for use by many threads. */
final class RareWarning {
    private static final long BETWEEN = Duration.ofMinutes(10).toNanos();

    private final Logger log;
    private final LongSupplier nanos;
    private boolean given;
    private long at;

    RareWarning(Logger log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
    }

    synchronized void give(String text) {
        long now = nanos.getAsLong();
        if (!given || now - at > BETWEEN) {
            given = true;
            at = now;
            log.warn(text);
        }
    }
}
