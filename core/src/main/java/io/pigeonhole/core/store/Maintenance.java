package io.pigeonhole.core.store;

/** What has to be done from time to time. */
public interface Maintenance {
    /**
     * Prepares what the coming days need, such as partitions. May run on many nodes at once and as often as one likes;
     * interrupted by a crash, the next run completes it.
     *
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused
     */
    void maintain();
}
