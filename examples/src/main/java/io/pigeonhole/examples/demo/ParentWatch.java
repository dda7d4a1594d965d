package io.pigeonhole.examples.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Notifies a child process when to end: when its standard input is closed, which its parent does to ask for it, and which the
 * operating system does when the parent is dead. Whatever the child hangs in then, some seconds later it is gone.
 */
public final class ParentWatch {
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final CountDownLatch end = new CountDownLatch(1);

    private ParentWatch() {}

    /**
     * Begins to watch the standard input.
     *
     * @return the watch
     */
    public static ParentWatch start() {
        ParentWatch watch = new ParentWatch();
        Thread thread = new Thread(watch::run, "parent-watch");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    private void run() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is ever said, only the end is.
            }
        } catch (IOException e) {
            // The end too.
        }
        end.countDown();
        long deadline = System.nanoTime() + GRACE.toNanos();
        for (long left = GRACE.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        Runtime.getRuntime().halt(1);
    }

    /**
     * Waits for the end, but not longer.
     *
     * @param seconds how long
     * @return whether it has come
     * @throws InterruptedException if somebody interrupts the thread
     */
    public boolean isOverWithin(int seconds) throws InterruptedException {
        return end.await(seconds, TimeUnit.SECONDS);
    }

    boolean isOver() {
        return end.getCount() == 0;
    }
}
