package io.pigeonhole.core.store;

import java.time.Duration;

/** What has to be done from time to time. */
public interface Maintenance {
    /**
     * Prepares what the coming days need, such as partitions. May run on many nodes at once and as often as one likes;
     * interrupted by a crash, the next run completes it.
     *
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused
     */
    void maintain();

    /**
     * For how long at least what {@link #maintain} prepares is enough. Whoever calls it has to do so twice within that time or
     * more often, so that one call may fail.
     *
     * @return a time that is longer than zero; unless overridden ten years, for stores whose preparations do not run out
     */
    default Duration preparedFor() {
        return Duration.ofDays(3_650);
    }
}
