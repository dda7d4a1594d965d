package io.pigeonhole.core.lane;

import io.pigeonhole.core.failure.ConfigurationException;

/**
 * How many lanes there are, and how much waits in them. An immutable value: each method without {@code get} returns a
 * changed copy.
 *
 * @param lanes how many lanes, and so how many threads and connections, from 1 to 10,000
 * @param maxBatch how many messages are handed to the inbox at once, at most; at least 1
 * @param maxMessages how many unfinished messages all lanes together take before they are full, at least 1
 * @param maxBytes how many bytes of payloads, headers and ordering keys all lanes together take before they are full, at least 1
 */
public record LaneSettings(int lanes, int maxBatch, int maxMessages, long maxBytes) {
    /** The most lanes, and so threads, that a source may have. */
    private static final int MOST_LANES = 10_000;

    private static final LaneSettings STANDARD = new LaneSettings(4, 500, 8_000, 64L << 20);

    /** Checks the values. */
    public LaneSettings {
        require(lanes >= 1, "lanes", lanes);
        if (lanes > MOST_LANES) {
            throw new ConfigurationException("lanes: lanes is " + lanes + ", the most is " + MOST_LANES
                    + ": each of them is a thread with a connection");
        }
        require(maxBatch >= 1, "maxBatch", maxBatch);
        require(maxMessages >= 1, "maxMessages", maxMessages);
        require(maxBytes >= 1, "maxBytes", maxBytes);
    }

    /**
     * Four lanes, batches of up to 500, full at 8,000 messages or 64 MiB.
     *
     * @return the default
     */
    public static LaneSettings standard() {
        return STANDARD;
    }

    /**
     * A copy with another number of lanes.
     *
     * @param lanes from 1 to 10,000
     * @return the copy
     */
    public LaneSettings lanes(int lanes) {
        return new LaneSettings(lanes, maxBatch, maxMessages, maxBytes);
    }

    /**
     * A copy with another limit of a batch.
     *
     * @param maxBatch at least 1
     * @return the copy
     */
    public LaneSettings maxBatch(int maxBatch) {
        return new LaneSettings(lanes, maxBatch, maxMessages, maxBytes);
    }

    /**
     * A copy with other bounds of what waits.
     *
     * @param maxMessages how many messages, at least 1
     * @param maxBytes how many bytes, at least 1
     * @return the copy
     */
    public LaneSettings bounds(int maxMessages, long maxBytes) {
        return new LaneSettings(lanes, maxBatch, maxMessages, maxBytes);
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new ConfigurationException("lanes: " + name + " is " + value + ", the least is 1");
        }
    }
}
