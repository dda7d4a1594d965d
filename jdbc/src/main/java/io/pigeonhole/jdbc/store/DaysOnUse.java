package io.pigeonhole.jdbc.store;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains a store that is used while nobody maintains it: a program without a node. Otherwise the ledger would run out of
 * days, and every message be from the future. Costs a look at a clock; once in an hour a look at the ledger's bounds, on a connection
 * that is given back before the transaction takes one. Safe for use by many threads.
 */
public final class DaysOnUse {
    private static final Logger log = LoggerFactory.getLogger(DaysOnUse.class);
    private static final long INTERVAL = Duration.ofHours(1).toNanos();
    private static final long AFTER_FAILURE = Duration.ofMinutes(1).toNanos();
    /** At least one day is created ahead, and lasts as long as this. */
    private static final long DAY_AHEAD = Duration.ofHours(23).toNanos();

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final Runnable maintenance;
    private final LongSupplier nanos;
    private final Executor background;
    private final AtomicBoolean running = new AtomicBoolean();
    private final ReentrantLock maintaining = new ReentrantLock();
    private volatile long last;
    private volatile long next;

    public DaysOnUse(Runnable maintenance, LongSupplier nanos) {
        this(maintenance, nanos, DaysOnUse::startThread);
    }

    /** With other threads to maintain it on. */
    public DaysOnUse(Runnable maintenance, LongSupplier nanos, Executor background) {
        this.maintenance = maintenance;
        this.nanos = nanos;
        this.background = background;
        done();
    }

    /** Somebody has maintained the store. */
    public void done() {
        last = nanos.getAsLong();
        next = last + INTERVAL;
    }

    /**
     * Before a transaction. Who comes while another thread does it goes on, since that thread may hang. Only after a day
     * without maintenance, when today may be missing, others wait for it, and not for ever.
     */
    public void before() {
        if (isDue()) {
            maintainOnce();
        }
    }

    /**
     * The same for a caller who has a connection already, and perhaps the only one of the pool: on a thread of its own. Where
     * there is none, that is not the caller's failure.
     */
    public void during() {
        if (isDue() && running.compareAndSet(false, true)) {
            try {
                background.execute(() -> {
                    try {
                        maintainOnce();
                    } finally {
                        running.set(false);
                    }
                });
            } catch (OutOfMemoryError e) {
                failed(e);
                running.set(false);
            }
        }
    }

    private static void startThread(Runnable task) {
        Thread thread = new Thread(task, "pigeonhole-days");
        thread.setDaemon(true);
        thread.start();
    }

    private boolean isDue() {
        return nanos.getAsLong() - next >= 0;
    }

    private void maintainOnce() {
        if (!lock()) {
            return;
        }
        try {
            if (isDue()) {
                maintenance.run();
                done();
            }
        } catch (RuntimeException e) {
            failed(e);
        } finally {
            maintaining.unlock();
        }
    }

    private boolean lock() {
        if (nanos.getAsLong() - last < DAY_AHEAD) {
            return maintaining.tryLock();
        }
        try {
            return maintaining.tryLock(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void failed(Throwable e) {
        next = nanos.getAsLong() + AFTER_FAILURE;
        log.warn("no days could be created ahead for the ledger; it is tried again after a minute", e);
    }
}
