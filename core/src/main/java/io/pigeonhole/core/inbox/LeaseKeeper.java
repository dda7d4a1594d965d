package io.pigeonhole.core.inbox;

import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prolongs the leases that this process works under, all of them in one statement at every third of their duration, over a
 * connection of its own. Its thread begins with the first lease and ends some time after the last. Safe for use by many
 * threads.
 */
final class LeaseKeeper {
    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final int BEATS_PER_LEASE = 3;

    private final RegisteredConsumer consumer;
    private final Supplier<Heartbeat> heartbeats;
    private final Duration duration;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Kept> kept = new HashSet<>();
    private @Nullable Thread thread;

    LeaseKeeper(RegisteredConsumer consumer, Supplier<Heartbeat> heartbeats, Duration duration) {
        this.consumer = consumer;
        this.heartbeats = heartbeats;
        this.duration = duration;
    }

    /** A lease that is prolonged until it is closed, or lost. */
    final class Kept implements AutoCloseable {
        private final WorkItem item;
        private boolean lost;

        private Kept(WorkItem item) {
            this.item = item;
        }

        boolean isLost() {
            lock.lock();
            try {
                return lost;
            } finally {
                lock.unlock();
            }
        }

        /** Waits for a while, but not beyond the loss of the lease; true if it is lost. */
        boolean awaitLoss(Duration patience) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                long left = patience.toNanos();
                while (!lost && left > 0) {
                    left = changed.awaitNanos(left);
                }
                return lost;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                kept.remove(this);
            } finally {
                lock.unlock();
            }
        }
    }

    Kept keep(WorkItem item) {
        lock.lock();
        try {
            Kept one = new Kept(item);
            kept.add(one);
            if (thread == null) {
                thread = new Thread(this::run, "pigeonhole-leases-" + consumer.name());
                thread.setDaemon(true);
                thread.start();
            }
            return one;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try (Heartbeat heartbeat = heartbeats.get()) {
            List<Kept> due = next();
            while (!due.isEmpty()) {
                beat(heartbeat, due);
                due = next();
            }
        } finally {
            gone();
        }
    }

    /** Whatever it ended with: the next lease begins another thread. */
    private void gone() {
        lock.lock();
        try {
            if (thread == Thread.currentThread()) {
                thread = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The leases to prolong, once it is time; none when there have been none for a whole beat, and the thread is to end. */
    private List<Kept> next() {
        lock.lock();
        try {
            long left = duration.toNanos() / BEATS_PER_LEASE;
            while (left > 0) {
                left = changed.awaitNanos(left);
            }
            if (kept.isEmpty()) {
                thread = null;
            }
            return new ArrayList<>(kept);
        } catch (InterruptedException e) {
            log.warn(
                    "consumer '{}': somebody interrupted the heartbeat of the leases; they will run out",
                    consumer.name());
            thread = null;
            return List.of();
        } finally {
            lock.unlock();
        }
    }

    private void beat(Heartbeat heartbeat, List<Kept> due) {
        try {
            Set<Long> prolonged = heartbeat.prolong(
                    consumer, due.stream().map(each -> each.item).toList(), duration);
            lock.lock();
            try {
                for (Kept each : due) {
                    // One that was finished meanwhile is gone from the database, and not lost.
                    if (!prolonged.contains(each.item.id()) && kept.contains(each)) {
                        each.lost = true;
                        kept.remove(each);
                        changed.signalAll();
                    }
                }
            } finally {
                lock.unlock();
            }
        } catch (RuntimeException | Error e) {
            log.warn("consumer '{}': {} leases could not be prolonged, trying again", consumer.name(), due.size(), e);
        }
    }
}
