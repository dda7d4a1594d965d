package io.pigeonhole.core.node;

import io.pigeonhole.core.store.Retired;

/**
 * Listens to what the maintenance of a node does, for metrics. It is called on its threads, one of them for an archive, and
 * at the start on the starting one; what it throws is logged and changes nothing. A crash loses calls, never work. Must be
 * safe for use by many threads.
 */
public interface MaintenanceListener {
    /**
     * Old rows or days were deleted.
     *
     * @param done the days and rows of one piece of work
     * @param nanos how long it took
     */
    default void onRetired(Retired done, long nanos) {}

    /**
     * The window guard has looked at a source, at the start and every day.
     *
     * @param verdict what it found
     */
    default void onVerdict(WindowVerdict verdict) {}
}
