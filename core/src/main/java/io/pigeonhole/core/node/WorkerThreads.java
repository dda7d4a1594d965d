package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.message.Message;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that work on what is due. One that hangs in a handler, in a call that no interrupt ends, is replaced by another
 * until it returns, as long as not too many hang. Safe for use by many threads.
 */
final class WorkerThreads {
    private static final Logger log = LoggerFactory.getLogger(WorkerThreads.class);

    /** How many threads may hang and be replaced at once, for each that there is to be. */
    private static final int MOST_REPLACED = 16;

    private final String name;
    private final int usual;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor pool;
    private final Set<Thread> hanging = new HashSet<>();

    /** So many daemon threads of a name. */
    WorkerThreads(String name, int usual) {
        this.name = name;
        this.usual = usual;
        this.pool = new ThreadPoolExecutor(
                usual, usual, 0, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), this::thread);
    }

    private Thread thread(Runnable task) {
        Thread thread = new Thread(() -> run(task), name);
        thread.setDaemon(true);
        return thread;
    }

    private void run(Runnable task) {
        threads.add(Thread.currentThread());
        try {
            task.run();
        } finally {
            threads.remove(Thread.currentThread());
        }
    }

    ExecutorService pool() {
        return pool;
    }

    /** Whether it is one of these. */
    boolean contains(Thread thread) {
        return threads.contains(thread);
    }

    /** A thread hangs: another takes its place, unless too many hang. */
    synchronized void hangs(Thread thread, String consumer, Message message) {
        hanging.add(thread);
        // Before anything is said: a log may fail.
        resize();
        String replaced = isSpent()
                ? "It is not replaced, because " + hanging.size() + " threads hang: " + working() + " of " + usual
                        + " are left, and only a new process gets the others back"
                : "Another thread takes its place; it may do so for " + mostReplaced() + " at once, and "
                        + hanging.size() + " hang";
        log.error(
                "consumer '{}': the handler of {} hangs on the thread '{}'. No interrupt ends it."
                        + " Give the call that it makes a timeout. {}",
                consumer,
                message,
                thread.getName(),
                replaced);
    }

    /** A thread has returned; false where it did not hang. */
    synchronized boolean isBack(Thread thread) {
        boolean hung = hanging.remove(thread);
        if (hung) {
            resize();
            log.info("a handler that hung has returned, {} still hang", hanging.size());
        }
        return hung;
    }

    /** Why there are not as many threads as there are to be, or null. */
    synchronized @Nullable Throwable failure() {
        return isSpent()
                ? new PigeonholeException(
                        hanging.size() + " threads '" + name + "' hang in handlers, which no interrupt ends: "
                                + working()
                                + " of " + usual
                                + " are left. Give the calls of these handlers timeouts, then start a new process",
                        null)
                : null;
    }

    private int mostReplaced() {
        return usual * MOST_REPLACED;
    }

    private boolean isSpent() {
        return hanging.size() > mostReplaced();
    }

    private int working() {
        return Math.max(0, usual + mostReplaced() - hanging.size());
    }

    /** The larger limit is always set first. */
    private void resize() {
        int size = usual + Math.min(hanging.size(), mostReplaced());
        if (size > pool.getMaximumPoolSize()) {
            pool.setMaximumPoolSize(size);
            pool.setCorePoolSize(size);
        } else {
            pool.setCorePoolSize(size);
            pool.setMaximumPoolSize(size);
        }
    }
}
