package io.pigeonhole.rabbitmq;

import java.util.concurrent.atomic.AtomicInteger;

/** One consumer of a channel: how many messages it may have, and what became of those that it got. Safe for use by many threads. */
final class Window {
    private final String tag;
    private final AtomicInteger unacknowledged = new AtomicInteger();
    private final AtomicInteger unsettled = new AtomicInteger();
    private volatile int limit;

    Window(String tag, int limit) {
        this.tag = tag;
        this.limit = limit;
    }

    /** What the broker calls the consumer. */
    String tag() {
        return tag;
    }

    /** How many messages it may have that are not acknowledged. */
    int limit() {
        return limit;
    }

    /** From now on it may have so many. */
    void raise(int more) {
        limit = more;
    }

    void delivered() {
        unacknowledged.incrementAndGet();
        unsettled.incrementAndGet();
    }

    void settled() {
        unsettled.decrementAndGet();
    }

    void acknowledged() {
        unacknowledged.decrementAndGet();
    }

    /** Whether it has all that it may have, so that nothing is on its way to it. */
    boolean isFull() {
        return unacknowledged.get() >= limit;
    }

    /** How many of its messages are not settled. */
    int unsettled() {
        return unsettled.get();
    }
}
