package io.pigeonhole.core.node;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * When to look for work: shortly after there was some, then after pauses twice as long each time, up to a limit; shortened
 * at random by up to a fifth, so that nodes do not look at the same moment; and when something is known to be due. Safe for use by many threads.
 */
final class Pace {
    private static final long SHORTEST_NANOS = Duration.ofMillis(50).toNanos();
    /** Between two turns even for those in a hurry: one turn finds the work of many commits. */
    private static final long BREATH_NANOS = Duration.ofMillis(5).toNanos();

    private static final double JITTER = 0.2;

    /** What is due later than this is found by the looks in between. */
    private static final Duration FARTHEST = Duration.ofDays(1);

    private final long longest;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LookTimes wanted = new LookTimes();
    private long pause = SHORTEST_NANOS;
    private long lookAt = System.nanoTime();
    private boolean nudged;

    /** Why a pause is over. */
    enum Reason {
        TIME_TO_LOOK,
        NUDGED
    }

    Pace(Duration longest) {
        this.longest = longest.toNanos();
    }

    /** Ends a pause, or the next one, without a look. */
    void nudge() {
        lock.lock();
        try {
            nudged = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** There will be something to find, if only in some thousand years. */
    void lookIn(Duration in) {
        lock.lock();
        try {
            long at = System.nanoTime() + (in.compareTo(FARTHEST) < 0 ? in : FARTHEST).toNanos();
            wanted.add(at);
            if (at - lookAt < 0) {
                lookAt = at;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A look begins now. */
    void looked(boolean productive) {
        lock.lock();
        try {
            pause = productive ? SHORTEST_NANOS : Math.min(pause * 2, longest);
            double shortened = 1 - JITTER * ThreadLocalRandom.current().nextDouble();
            long now = System.nanoTime();
            lookAt = now + (long) (pause * shortened);
            Long next = wanted.firstAfter(now);
            if (next != null && next - lookAt < 0) {
                lookAt = next;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Pauses for a breath at least. */
    Reason await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long breath = System.nanoTime() + BREATH_NANOS;
            while (true) {
                long now = System.nanoTime();
                long end = nudged || lookAt - breath < 0 ? breath : lookAt;
                if (end - now <= 0) {
                    nudged = false;
                    return lookAt - now <= 0 ? Reason.TIME_TO_LOOK : Reason.NUDGED;
                }
                changed.awaitNanos(end - now);
            }
        } finally {
            lock.unlock();
        }
    }
}
