package io.pigeonhole.core.inbox;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls listeners one after the other on a daemon thread, so that nobody else waits for them: they may hang like handlers. The thread
 * lives while there is something to call. While a listener hangs, some calls wait behind it, and further ones are left out. Safe for
 * use by many threads.
 */
final class ListenerThread {
    private static final Logger log = LoggerFactory.getLogger(ListenerThread.class);
    private static final int MOST_WAITING = 100;

    private final String name;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    ListenerThread(String name) {
        this.name = name;
    }

    /** Has this called, or leaves it out where too much waits. It throws nothing. */
    void call(Runnable listening) {
        if (!isToBegin(listening)) {
            return;
        }
        try {
            Thread thread = new Thread(this::run, name);
            thread.setDaemon(true);
            thread.start();
        } catch (OutOfMemoryError e) {
            giveUp();
            log.warn("no thread '{}' could be started to call listeners", name, e);
        }
    }

    /** Whether a thread is to be started for it. */
    private synchronized boolean isToBegin(Runnable listening) {
        if (waiting.size() == MOST_WAITING) {
            return false;
        }
        waiting.add(listening);
        boolean begins = !running;
        running = true;
        return begins;
    }

    private synchronized void giveUp() {
        waiting.clear();
        running = false;
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = waiting.poll();
        running = next != null;
        return next;
    }

    private void run() {
        for (Runnable next = next(); next != null; next = next()) {
            survive(next);
            // What a listener has left behind is not the next one's.
            Thread.interrupted();
        }
    }

    /** Whoever calls listeners has logged what they throw; what is left is an appender that fails. */
    private static void survive(Runnable listening) {
        try {
            listening.run();
        } catch (Throwable e) {
            return;
        }
    }
}
