package io.pigeonhole.peers.outbox;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * When each event was committed, and when the broker's confirmation of it was known, by {@link System#nanoTime} of this process. Safe for
 * use by many threads.
 */
final class Flights {
    private static final long STEP_NANOS = 200_000;

    private final AtomicLongArray commits;
    private final AtomicLongArray confirmations;
    private final AtomicInteger committed = new AtomicInteger();
    private final AtomicInteger confirmed = new AtomicInteger();

    /** Of events with the numbers from 0 on. */
    Flights(int events) {
        this.commits = new AtomicLongArray(events);
        this.confirmations = new AtomicLongArray(events);
    }

    /** These are being committed: the commit itself is part of the latency. */
    void committing(List<Event> events) {
        long now = System.nanoTime();
        events.forEach(event -> commits.set(event.number(), now));
        committed.addAndGet(events.size());
    }

    /** The broker has confirmed it, maybe once more. */
    void confirmed(int number) {
        if (confirmations.compareAndSet(number, 0, System.nanoTime())) {
            confirmed.incrementAndGet();
        }
    }

    int unconfirmed() {
        return committed.get() - confirmed.get();
    }

    int count() {
        return confirmed.get();
    }

    /** Waits until so many are confirmed. */
    void await(int events, Duration timeout) throws TimeoutException {
        long end = System.nanoTime() + timeout.toNanos();
        while (confirmed.get() < events) {
            if (System.nanoTime() - end > 0) {
                throw new TimeoutException(confirmed + " of " + events + " events are confirmed after " + timeout);
            }
            LockSupport.parkNanos(STEP_NANOS);
        }
    }

    /** The latencies of the events from one number to another, which are confirmed. */
    Latencies latencies(int from, int to) {
        long[] nanos = new long[to - from];
        for (int i = from; i < to; i++) {
            nanos[i - from] = Math.max(0, confirmations.get(i) - commits.get(i));
        }
        Arrays.sort(nanos);
        return new Latencies(nanos);
    }
}
