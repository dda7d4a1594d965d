package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.suite.InvariantBrokenException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counts up to a goal, and takes the time from the first to the last. Safe for use by many threads. */
final class Tally {
    private static final long TIMEOUT_MINUTES = 5;

    private final long goal;
    private final AtomicLong counted = new AtomicLong();
    private final AtomicLong began = new AtomicLong();
    private final CountDownLatch full = new CountDownLatch(1);
    private volatile long ended;
    private volatile @Nullable String defect;

    Tally(long goal) {
        this.goal = goal;
    }

    /** Somebody has the first messages in hand, or others had them before. */
    void begun() {
        began.compareAndSet(0, System.nanoTime());
    }

    /** The effects of so many more messages are committed. */
    void done(long messages) {
        if (counted.addAndGet(messages) >= goal && full.getCount() > 0) {
            ended = System.nanoTime();
            full.countDown();
        }
    }

    /** What was counted is worth nothing: the measurement ends with this defect. */
    void spoiled(String how) {
        defect = how;
        full.countDown();
    }

    boolean isFull() {
        return full.getCount() == 0;
    }

    /** Waits until the goal is reached and answers how long it took, in nanoseconds. */
    long await() throws InterruptedException, TimeoutException {
        if (!full.await(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
            throw new TimeoutException(counted + " of " + goal + " messages after " + TIMEOUT_MINUTES + " minutes");
        }
        if (defect != null) {
            throw new InvariantBrokenException(defect);
        }
        return ended - began.get();
    }
}
