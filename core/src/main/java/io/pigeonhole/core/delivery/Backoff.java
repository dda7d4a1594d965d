package io.pigeonhole.core.delivery;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses that double up to a ceiling, each shortened at random by up to a half. Used by one thread at a time. */
final class Backoff {
    private final long first;
    private final long ceiling;
    private long next;

    Backoff(Duration first, Duration ceiling) {
        this.first = first.toNanos();
        this.ceiling = ceiling.toNanos();
        this.next = this.first;
    }

    /** The next pause in nanoseconds. */
    long nextNanos() {
        long pause = next;
        next = Math.min(pause * 2, ceiling);
        return pause - ThreadLocalRandom.current().nextLong(pause / 2 + 1);
    }

    void reset() {
        next = first;
    }
}
