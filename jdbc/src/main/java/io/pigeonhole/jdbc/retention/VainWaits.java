package io.pigeonhole.jdbc.retention;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of waits in vain for rows that another transaction holds, such as one that somebody forgot to end: once in an hour for each
 * table. Safe for use by many threads.
 */
final class VainWaits {
    private static final Logger log = LoggerFactory.getLogger(VainWaits.class);
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final LongSupplier nanos;
    private final Map<String, Long> warnedAt = new HashMap<>();

    VainWaits(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Warns, unless it did within the last hour.
     *
     * @param table whose row is held
     * @param consequence what could not be done
     */
    synchronized void warn(String table, String consequence) {
        Long before = warnedAt.get(table);
        if (before != null && nanos.getAsLong() - before < HOUR) {
            return;
        }
        warnedAt.put(table, nanos.getAsLong());
        log.warn(
                "{}: a transaction holds a row of {}, for which this program waited in vain. It is tried again with each"
                        + " maintenance; if this comes again, look for a session that is idle in a transaction, and end it",
                consequence,
                table);
    }
}
