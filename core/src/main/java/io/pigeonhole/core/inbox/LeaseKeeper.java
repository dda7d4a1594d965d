package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prolongs the leases that this process works under, all of them in one statement at every third of their duration, and soon
 * again where that failed. It has a connection only for that statement: where the pool has none, it waits as long as the pool
 * lets it, and the leases run out when that is too long. Its thread begins with the first lease and ends some time after the
 * last.
 *
 * <p>A lease whose handler takes too long is not prolonged any more, and the handler's thread is interrupted: a handler that
 * hangs would otherwise keep its message for ever. Each call of a handler is measured by itself, so that neither calls before it
 * nor an outage of the store count. Where a thread is in no handler and goes no step further for an hour, its lease is not
 * prolonged any more either. Safe for use by many threads.
 *
 * <p>One long class, because one lock guards the leases and what their threads are at.
 */
final class LeaseKeeper {
    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final int BEATS_PER_LEASE = 3;
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    /** After a beat that failed. */
    private static final int TRIES_PER_LEASE = 12;

    /** What two looks are apart, at least, where the process stood still between them. */
    private static final Duration LEAST_GAP = Duration.ofSeconds(3);

    /** For what is no call of a handler, such as a statement of the inbox's own. */
    private static final Duration LONGEST_STEP = Duration.ofHours(1);

    private final RegisteredConsumer consumer;
    private final Supplier<Heartbeat> heartbeats;
    private final Duration duration;
    private final LongSupplier clock;
    private final Standstill standstill;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Kept> kept = new HashSet<>();
    /** Those that are lost, but still worked under: a handler must not hang under them either. */
    private final Set<Kept> lostAtWork = new HashSet<>();
    /** Those that are worked under for too long. */
    private final Set<Kept> givenUp = new HashSet<>();

    private @Nullable Thread thread;
    private boolean stopping;

    /**
     * How long a handler may take.
     *
     * @param longest how long a call of it may take
     * @param setting what to set where that is too short
     */
    record Limit(Duration longest, String setting) {}

    LeaseKeeper(RegisteredConsumer consumer, Supplier<Heartbeat> heartbeats, Duration duration) {
        this(consumer, heartbeats, duration, System::nanoTime, System::nanoTime);
    }

    /**
     * With clocks of a test, one for how long a call takes and one for when it was looked at. All others read
     * {@link System#nanoTime}.
     */
    LeaseKeeper(
            RegisteredConsumer consumer,
            Supplier<Heartbeat> heartbeats,
            Duration duration,
            LongSupplier clock,
            LongSupplier looks) {
        this.consumer = consumer;
        this.heartbeats = heartbeats;
        this.duration = duration;
        this.clock = clock;
        Duration twoBeats = duration.multipliedBy(2).dividedBy(BEATS_PER_LEASE);
        this.standstill = new Standstill(twoBeats.compareTo(LEAST_GAP) > 0 ? twoBeats : LEAST_GAP, looks);
    }

    /** A lease that is prolonged until it is closed, lost, or kept for too long. */
    final class Kept implements AutoCloseable {
        private final WorkItem item;
        private final Limit limit;
        private final Thread worker = Thread.currentThread();
        /** When the call of the handler began, or whatever else its thread is at. */
        private final CallTime time = new CallTime(clock);

        /** When the database was asked last for the lease, or to prolong it: it cannot count from any earlier moment. */
        private long confirmed;

        private @Nullable Thread handler;
        private boolean tooLong;
        private long givenUpAt;
        private boolean lost;

        private Kept(WorkItem item, Limit limit, long asked) {
            this.item = item;
            this.limit = limit;
            this.confirmed = asked;
        }

        WorkItem item() {
            return item;
        }

        /** Notes that its thread begins with something else: what was before does not count. */
        void step() {
            lock.lock();
            try {
                time.begin();
            } finally {
                lock.unlock();
            }
        }

        /** Whether it is lost, or about to be: nobody prolongs it any more. */
        boolean isLost() {
            lock.lock();
            try {
                return lost || tooLong;
            } finally {
                lock.unlock();
            }
        }

        /** The same, or it may have run out because the database could not be asked to prolong it. */
        boolean mayBeLost() {
            lock.lock();
            try {
                return isLost() || System.nanoTime() - confirmed >= duration.toNanos();
            } finally {
                lock.unlock();
            }
        }

        /** Whether the lease has been prolonged so recently that nobody can have taken it: it cannot have run out. */
        boolean isFresh() {
            lock.lock();
            try {
                return System.nanoTime() - confirmed < duration.toNanos() / 2;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Calls a handler on this thread, which is interrupted where it takes too long. Nothing is left of that interrupt
         * afterwards.
         *
         * @throws TimeoutException if the handler was interrupted and failed, or an earlier call took too long
         * @throws Exception whatever else the handler throws
         */
        <R> R call(Callable<R> handler) throws Exception {
            requireInTime();
            return complete(handler);
        }

        /**
         * The same for what a handler that has ended wants to write, although it took too long: its effect is made, and the lease
         * may not have run out.
         *
         * @throws TimeoutException if it was interrupted and failed
         * @throws Exception whatever else it throws
         */
        <R> R complete(Callable<R> handler) throws Exception {
            handling();
            try {
                return handler.call();
            } catch (Throwable e) {
                if (handled()) {
                    throw tookTooLong("the handler was interrupted after ", e);
                }
                throw e;
            } finally {
                handled();
            }
        }

        private void requireInTime() throws TimeoutException {
            lock.lock();
            try {
                if (tooLong) {
                    throw tookTooLong("the handler is not begun again, it has taken longer than ", null);
                }
            } finally {
                lock.unlock();
            }
        }

        private void handling() {
            lock.lock();
            try {
                handler = Thread.currentThread();
                time.begin();
            } finally {
                lock.unlock();
            }
        }

        /** The handler has ended; true if it was interrupted because it took too long. The thread is not interrupted then. */
        private boolean handled() {
            lock.lock();
            try {
                handler = null;
                time.begin();
                if (tooLong) {
                    // It may have reacted with an exception, or not yet.
                    Thread.interrupted();
                }
                return tooLong;
            } finally {
                lock.unlock();
            }
        }

        /** Whether a call has taken longer than it may. */
        boolean hasTakenTooLong() {
            lock.lock();
            try {
                return tooLong;
            } finally {
                lock.unlock();
            }
        }

        /** What such a call has failed with, where it has thrown nothing itself. */
        TimeoutException tookTooLong() {
            return tookTooLong("the handler was interrupted after ", null);
        }

        private TimeoutException tookTooLong(String what, @Nullable Throwable cause) {
            TimeoutException failure = new TimeoutException(what + DurationText.of(limit.longest())
                    + ". Let it give up by itself before, or set a longer " + limit.setting());
            failure.initCause(cause);
            return failure;
        }

        private boolean isTooLong() {
            return time.isAtLeast(longest());
        }

        private Duration longest() {
            boolean inHandler = handler != null || limit.longest().compareTo(LONGEST_STEP) > 0;
            return inHandler ? limit.longest() : LONGEST_STEP;
        }

        /** Under the lock. */
        private void giveUp() {
            tooLong = true;
            givenUpAt = System.nanoTime();
            kept.remove(this);
            lostAtWork.remove(this);
            givenUp.add(this);
            Thread thread = handler;
            if (thread != null) {
                // Before anything else that may fail, such as the log.
                thread.interrupt();
            }
            log.warn(
                    "consumer '{}': {} has been in work for longer than {}; its lease is {}{}",
                    consumer.name(),
                    item.message(),
                    DurationText.of(longest()),
                    lost ? "lost already" : "not prolonged any more, and will be a failed attempt when it has run out",
                    thread == null ? "" : ". Its handler on the thread '" + thread.getName() + "' is interrupted");
        }

        /** Under the lock. */
        private void lose() {
            lost = true;
            kept.remove(this);
            lostAtWork.add(this);
            changed.signalAll();
        }

        /** Waits for a while, but not beyond the loss of the lease; true if it is lost. */
        boolean awaitLoss(Duration timeout) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                long left = timeout.toNanos();
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
                lostAtWork.remove(this);
                givenUp.remove(this);
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Keeps a lease.
     *
     * @param limit how long a handler may take
     * @param asked when the database was asked for the lease, by {@link System#nanoTime}: it counts from then on, however long the
     *     answer and the commit take
     */
    Kept keep(WorkItem item, Limit limit, long asked) {
        lock.lock();
        try {
            Kept one = new Kept(item, limit, asked);
            // A message has one lease at a time: whoever works under an older one has lost it.
            kept.stream().filter(other -> other.item.id() == item.id()).toList().forEach(Kept::lose);
            if (thread == null) {
                stopping = false;
                standstill.restart();
                Thread begun = new Thread(this::run, "pigeonhole-leases-" + consumer.name());
                begun.setDaemon(true);
                begun.start();
                thread = begun;
            }
            kept.add(one);
            return one;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The threads whose handler was interrupted so long ago that the lease has run out, and that are in it all the same, with
     * the messages that they are at. They may never come back.
     */
    Map<Thread, Message> hanging() {
        lock.lock();
        try {
            Map<Thread, Message> hanging = new HashMap<>();
            for (Kept each : givenUp) {
                if (each.handler != null && System.nanoTime() - each.givenUpAt >= duration.toNanos()) {
                    hanging.put(each.worker, each.item.message());
                }
            }
            return hanging;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Prolongs none of the leases any more that these threads took: they run out, and whoever works under one must not finish
     * it.
     */
    void stop(Predicate<Thread> workers) {
        lock.lock();
        try {
            for (Set<Kept> each : List.of(kept, lostAtWork, givenUp)) {
                List<Kept> stopped = each.stream()
                        .filter(lease -> workers.test(lease.worker))
                        .toList();
                stopped.forEach(lease -> lease.lost = true);
                stopped.forEach(each::remove);
            }
            stopping = thread != null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean over = false;
        while (!over) {
            try (Heartbeat heartbeat = heartbeats.get()) {
                @Nullable List<Kept> due = next(BEATS_PER_LEASE);
                while (due != null) {
                    boolean done = due.isEmpty() || beat(heartbeat, due);
                    due = next(done ? BEATS_PER_LEASE : TRIES_PER_LEASE);
                }
                over = true;
            } catch (Throwable e) {
                over = survive(e);
            }
        }
    }

    /** Leases are prolonged whatever happened; true where there are none any more, and the thread ends. */
    private boolean survive(Throwable e) {
        try {
            log.warn("consumer '{}': the heartbeat of the leases failed, going on", consumer.name(), e);
        } catch (Throwable again) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        LockSupport.parkNanos(Math.min(PAUSE_NANOS, duration.toNanos() / BEATS_PER_LEASE));
        lock.lock();
        try {
            boolean replaced = thread != Thread.currentThread();
            if (isIdle() && !replaced) {
                thread = null;
            }
            return replaced || isIdle();
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock: there is no lease to prolong, and no handler to watch. */
    private boolean isIdle() {
        return kept.isEmpty() && lostAtWork.isEmpty();
    }

    /** The leases to prolong, once it is time; null when there has been nothing to do for a whole beat, and the thread is to end. */
    private @Nullable List<Kept> next(int perLease) {
        lock.lock();
        try {
            awaitUntil(System.nanoTime() + duration.toNanos() / perLease);
            stopping = false;
            look();
            if (isIdle()) {
                thread = null;
                return null;
            }
            return new ArrayList<>(kept);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends calls that take too long. The thread of the heartbeats does so at each of them, but may wait for a connection that the very
     * handler has.
     */
    void look() {
        lock.lock();
        try {
            long stoodStill = standstill.look();
            List<Kept> all = Stream.of(kept, lostAtWork).flatMap(Set::stream).toList();
            all.forEach(each -> each.time.forgive(stoodStill));
            all.stream().filter(Kept::isTooLong).forEach(Kept::giveUp);
        } finally {
            lock.unlock();
        }
    }

    /** Until then, or until it is to stop. Nobody ends this thread by an interrupt: one that comes all the same changes nothing. */
    private void awaitUntil(long end) {
        long left = end - System.nanoTime();
        while (left > 0 && !stopping) {
            try {
                left = changed.awaitNanos(left);
            } catch (InterruptedException e) {
                log.debug("consumer '{}': somebody interrupted the heartbeat of the leases", consumer.name(), e);
                left = end - System.nanoTime();
            }
        }
    }

    private boolean beat(Heartbeat heartbeat, List<Kept> due) {
        long began = System.nanoTime();
        try {
            Set<Long> prolonged = heartbeat.prolong(
                    consumer, due.stream().map(each -> each.item).toList(), duration);
            lock.lock();
            try {
                for (Kept each : due) {
                    if (prolonged.contains(each.item.id())) {
                        each.confirmed = began;
                    }
                    // One that was finished meanwhile is gone from the database, and not lost.
                    if (!prolonged.contains(each.item.id()) && kept.contains(each)) {
                        each.lose();
                    }
                }
            } finally {
                lock.unlock();
            }
            return true;
        } catch (RuntimeException | Error e) {
            log.warn("consumer '{}': {} leases could not be prolonged, trying again", consumer.name(), due.size(), e);
            return false;
        }
    }
}
