package io.pigeonhole.core.store;

import io.pigeonhole.core.message.LogPartition;

/**
 * Up to where a consumer has accepted the messages of a partition of a log, and whose turn it is to go on.
 *
 * @param partition the partition
 * @param log the identity of the log that the position is of
 * @param assignment how many times the partition was acquired: only who has the newest number may advance
 * @param position the offset of the next message; {@link #UNKNOWN}, {@link #FORGOTTEN} or {@link #GIVEN_UP}
 *     where there is none
 * @param leaderEpoch what the broker counted at the last message before it, or -1
 */
public record Watermark(LogPartition partition, String log, long assignment, long position, int leaderEpoch) {
    /** The position before the first message: whoever acquires the partition decides where to begin. */
    public static final long UNKNOWN = -1;

    /** As {@link #UNKNOWN}, after somebody had the position forgotten: the log is to be taken as one never seen. */
    public static final long FORGOTTEN = -2;

    /**
     * As {@link #UNKNOWN}, after the consumer went on without watermarks for a while: what the broker remembers of its offsets
     * is newer than anything known here.
     */
    public static final long GIVEN_UP = -3;

    /**
     * Whether it says where to go on.
     *
     * @return false for {@link #UNKNOWN}, {@link #FORGOTTEN} and {@link #GIVEN_UP}
     */
    public boolean hasPosition() {
        return position >= 0;
    }
}
