package io.pigeonhole.core.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Prolongs leases. It takes a connection for each call and keeps none between two: what a pool has is for those who work. Used
 * by one thread.
 */
public interface Heartbeat extends AutoCloseable {
    /**
     * Prolongs leases. Committed when it returns.
     *
     * @param consumer whose messages
     * @param items the messages as they were leased, at least one
     * @param duration how long from now, by the database's clock, the leases last
     * @return the ids of those whose leases are still the newest; the others are lost
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached; the next call
     *     tries again
     */
    Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration);

    /** Ends it. Does not throw. */
    @Override
    void close();
}
