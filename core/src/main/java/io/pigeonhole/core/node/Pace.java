package io.pigeonhole.core.node;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How long to pause between two looks for work: shortly after there was some, then twice as long each time, up to a limit;
 * shortened at random by up to a fifth, so that nodes do not look at the same moment. Safe for use by many threads.
 */
final class Pace {
    static final Duration NEVER = Duration.ofDays(1);

    private static final long SHORTEST_NANOS = Duration.ofMillis(50).toNanos();
    /** Between two looks even for those in a hurry: one look finds the work of many commits. */
    private static final long BREATH_NANOS = Duration.ofMillis(5).toNanos();

    private static final double JITTER = 0.2;

    private final long longest;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition hurried = lock.newCondition();
    private long pause = SHORTEST_NANOS;
    private boolean inHurry;

    Pace(Duration longest) {
        this.longest = longest.toNanos();
    }

    /** Ends a pause, or the next one. */
    void hurry() {
        lock.lock();
        try {
            inHurry = true;
            hurried.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Pauses. */
    void await(boolean productive, Duration next) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            pause = productive || inHurry ? SHORTEST_NANOS : Math.min(pause * 2, longest);
            long shortened =
                    (long) (pause * (1 - JITTER * ThreadLocalRandom.current().nextDouble()));
            long end = System.nanoTime() + Math.max(BREATH_NANOS, Math.min(shortened, next.toNanos()));
            long breath = System.nanoTime() + BREATH_NANOS;
            while (true) {
                long left = (inHurry ? breath : end) - System.nanoTime();
                if (left <= 0 || hurried.awaitNanos(left) <= 0) {
                    break;
                }
            }
            inHurry = false;
        } finally {
            lock.unlock();
        }
    }
}
