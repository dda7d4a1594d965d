package io.pigeonhole.core.lane;

import io.pigeonhole.core.failure.ConfigurationException;

/**
 * How many lanes there are, and how much waits in them. An immutable value: each method without {@code get} returns a
 * changed copy.
 *
 * @param lanes how many lanes, and so how many threads and connections, at least 1
 * @param maxBatch how many messages are handed to the inbox at once, at most; at least 1
 * @param maxMessages how many unfinished messages all lanes together take before they are full, at least 1
 * @param maxBytes how many bytes of payloads and headers all lanes together take before they are full, at least 1
 */
public record LaneSettings(int lanes, int maxBatch, int maxMessages, long maxBytes) {
    private static final LaneSettings STANDARD = new LaneSettings(4, 500, 8_000, 64L << 20);

    /** Checks the values. */
    public LaneSettings {
        require(lanes >= 1, "lanes", lanes);
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
     * @param lanes at least 1
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
