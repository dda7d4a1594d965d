package io.pigeonhole.core.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Waits within a bounded time, which no interrupt shortens: whoever closes something while he is interrupted himself, as after
 * {@code ExecutorService.shutdownNow}, waits for what is in work as others do. The thread has its interrupt again afterwards.
 */
public final class BoundedWait {
    private BoundedWait() {}

    /** Something to wait for. */
    @FunctionalInterface
    public interface Waiting {
        /**
         * Waits once.
         *
         * @param nanos how long at most, 0 or more
         * @return whether it has come about
         * @throws InterruptedException if the thread is interrupted; it is called again with the time that is left
         */
        boolean await(long nanos) throws InterruptedException;
    }

    /**
     * Waits.
     *
     * @param timeout how long at most
     * @param waiting what for
     * @return whether it has come about
     */
    public static boolean await(Duration timeout, Waiting waiting) {
        long end = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return waiting.await(Math.max(0, end - System.nanoTime()));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits for the end of a thread.
     *
     * @param thread the thread
     * @param timeout how long at most
     * @return whether it has ended, or never begun
     */
    public static boolean join(Thread thread, Duration timeout) {
        return await(timeout, nanos -> {
            TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
            return !thread.isAlive();
        });
    }
}
