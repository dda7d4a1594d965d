package io.pigeonhole.core.delivery;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what is unfinished in all delivery threads together. Safe for use by many threads. */
final class Load {
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong finished = new AtomicLong();

    void add(Entry entry) {
        long size = entry.size(); // First, as it may need memory.
        messages.incrementAndGet();
        bytes.addAndGet(size);
    }

    /** Counts the entry off, once; false if it was counted off before. */
    boolean remove(Entry entry) {
        long size = entry.size(); // First, as it may need memory.
        boolean left = entry.leave();
        if (left) {
            messages.decrementAndGet();
            bytes.addAndGet(-size);
            finished.incrementAndGet();
        }
        return left;
    }

    int messages() {
        return messages.get();
    }

    /** How many were counted off in all. */
    long finished() {
        return finished.get();
    }

    /** 0 for nothing, 1 or more for full. */
    double relativeTo(DeliverySettings limits) {
        return Math.max((double) messages.get() / limits.maxMessages(), bytes.get() / (double) limits.maxBytes());
    }
}
