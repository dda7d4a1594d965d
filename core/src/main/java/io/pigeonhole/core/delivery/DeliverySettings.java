package io.pigeonhole.core.delivery;

import io.pigeonhole.core.failure.ConfigurationException;

/**
 * How many delivery threads there are, and how much waits for them. An immutable value: each method with a parameter returns a
 * changed copy.
 */
public final class DeliverySettings {
    /** The most threads that a source may have. */
    private static final int MOST_THREADS = 10_000;

    private static final DeliverySettings STANDARD = new DeliverySettings(4, 500, 8_000, 64L << 20);

    private final int concurrency;
    private final int maxBatch;
    private final int maxMessages;
    private final long maxBytes;

    private DeliverySettings(int concurrency, int maxBatch, int maxMessages, long maxBytes) {
        require(concurrency >= 1, "concurrency", concurrency);
        if (concurrency > MOST_THREADS) {
            throw new ConfigurationException("concurrency is " + concurrency + ", the most is " + MOST_THREADS
                    + ": each of them is a thread with a connection");
        }
        require(maxBatch >= 1, "maxBatch", maxBatch);
        require(maxMessages >= 1, "maxMessages", maxMessages);
        require(maxBytes >= 1, "maxBytes", maxBytes);
        this.concurrency = concurrency;
        this.maxBatch = maxBatch;
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
    }

    /**
     * How many delivery threads, each with a connection while it works.
     *
     * @return from 1 to 10,000
     */
    public int concurrency() {
        return concurrency;
    }

    /**
     * How many messages are handed to the inbox at once, at most.
     *
     * @return at least 1
     */
    public int maxBatch() {
        return maxBatch;
    }

    /**
     * How many unfinished messages all delivery threads together take before they are full.
     *
     * @return at least 1
     */
    public int maxMessages() {
        return maxMessages;
    }

    /**
     * How many bytes of payloads, headers and ordering keys all delivery threads together take before they are full.
     *
     * @return at least 1
     */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * Four delivery threads, batches of up to 500, full at 8,000 messages or 64 MiB.
     *
     * @return the default
     */
    public static DeliverySettings standard() {
        return STANDARD;
    }

    /**
     * A copy with another number of delivery threads.
     *
     * @param concurrency from 1 to 10,000
     * @return the copy
     */
    public DeliverySettings concurrency(int concurrency) {
        return new DeliverySettings(concurrency, maxBatch, maxMessages, maxBytes);
    }

    /**
     * A copy with another limit of a batch.
     *
     * @param maxBatch at least 1
     * @return the copy
     */
    public DeliverySettings maxBatch(int maxBatch) {
        return new DeliverySettings(concurrency, maxBatch, maxMessages, maxBytes);
    }

    /**
     * A copy with other limits of what waits.
     *
     * @param maxMessages how many messages, at least 1
     * @param maxBytes how many bytes, at least 1
     * @return the copy
     */
    public DeliverySettings maxUnfinished(int maxMessages, long maxBytes) {
        return new DeliverySettings(concurrency, maxBatch, maxMessages, maxBytes);
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new ConfigurationException("" + name + " is " + value + ", the least is 1");
        }
    }
}
