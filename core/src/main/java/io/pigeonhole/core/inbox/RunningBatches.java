package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches that are in work in this process, so that one that does not end is seen, and a handler that does not return is
 * interrupted. Safe for use by many threads.
 *
 * <p>A call that does not return from its interrupt <em>hangs</em>: its messages are remembered as suspects, so that whoever has them
 * next has them worked on under leases, where each attempt counts.
 */
final class RunningBatches {
    private static final Logger log = LoggerFactory.getLogger(RunningBatches.class);

    /** More than hang at once, with full batches in all threads and those that were replaced; older ones hang once more. */
    private static final int MOST_SUSPECTS = 50_000;

    /** How long each message may take that is sent together with others, however short the handlers' limit is. */
    private static final Duration SENDING = Duration.ofSeconds(1);

    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(1);

    /** What two looks are apart, at least, where the process stood still between them: a node looks every second. */
    private static final Duration LEAST_GAP = Duration.ofSeconds(3);

    private final String consumer;
    private final Duration slow;
    private final Duration longestCall;
    private final Duration handlerTimeout;
    /** How long a handler may take to react to its interrupt. */
    private final long patience;

    private final Listeners listeners;
    private final LongSupplier clock;
    private final Standstill standstill;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private final List<Predicate<Thread>> whenOneHangs = new CopyOnWriteArrayList<>();
    private final Set<MessageKey> suspects = new LinkedHashSet<>();
    private volatile boolean hasSuspects;

    RunningBatches(String consumer, EngineSettings settings, Listeners listeners) {
        this(consumer, settings, listeners, System::nanoTime);
    }

    /** With a clock of a test; all others read {@link System#nanoTime}. */
    RunningBatches(String consumer, EngineSettings settings, Listeners listeners, LongSupplier clock) {
        this.consumer = consumer;
        this.slow = settings.slowBatch();
        this.longestCall = settings.longestCall();
        this.handlerTimeout = settings.handlerTimeout();
        this.patience = Math.max(handlerTimeout.toNanos(), LEAST_PATIENCE.toNanos());
        this.listeners = listeners;
        this.clock = clock;
        this.standstill = new Standstill(LEAST_GAP, clock);
    }

    /** A batch in work, until its end. Its thread makes one call of the application at a time. */
    final class Running {
        private final Intake<?> intake;
        private final Thread thread = Thread.currentThread();
        private final boolean isReplaceable = Interrupts.isOwned();
        private final long since = clock.getAsLong();
        private final AtomicBoolean reported = new AtomicBoolean();
        /** The messages that are being decoded or handled; null between two calls. */
        private @Nullable List<Envelope> called;

        /** Its transaction, while it has one that another thread may end. */
        private @Nullable InboxTransaction<?> transaction;

        private Duration longest = longestCall;
        private final CallTime time = new CallTime(clock);
        private boolean interrupted;
        private long interruptedAt;
        private boolean hangs;
        private boolean hasTimedOut;
        /** Used by its own thread. */
        private final Set<Envelope> tookLong = new LinkedHashSet<>();

        private boolean left;
        private boolean wasLate;
        private volatile boolean hasHung;
        /** Whether its thread hangs, and no other one takes its place. */
        private volatile boolean isNotReplaced;

        private Running(Intake<?> intake) {
            this.intake = intake;
        }

        /** Once, however many ask for it at once. The batch does not wait for the listeners. */
        private void report() {
            Duration inWork = inWork();
            if (inWork.compareTo(slow) >= 0 && reported.compareAndSet(false, true)) {
                listeners.slowBatch(inWork, thread);
            }
        }

        private Duration inWork() {
            return Duration.ofNanos(clock.getAsLong() - since);
        }

        /**
         * Calls code of the application, and interrupts it where it takes too long. Nothing is left of that interrupt
         * afterwards.
         *
         * @throws HandlerTimeoutException if it was interrupted and failed
         * @throws Exception whatever else it throws
         */
        <R extends @Nullable Object> R call(List<Envelope> messages, Callable<R> code) throws Exception {
            return call(messages, longestCall, code);
        }

        /** The same for what is sent for many messages at once, each of which may take a while. */
        <R extends @Nullable Object> R send(List<Envelope> messages, Callable<R> code) throws Exception {
            return call(messages, longestCall.plus(SENDING.multipliedBy(messages.size())), code);
        }

        private <R extends @Nullable Object> R call(List<Envelope> messages, Duration limit, Callable<R> code)
                throws Exception {
            synchronized (this) {
                called = messages;
                longest = limit;
                time.begin();
                wasLate = false;
                left = false;
            }
            try {
                return code.call();
            } catch (Throwable e) {
                if (returned()) {
                    noteTimeout();
                    throw tookTooLong(e);
                }
                throw e;
            } finally {
                returned();
            }
        }

        /** The transaction that is open from now on; null where it is about to be closed. */
        synchronized void isIn(@Nullable InboxTransaction<?> open) {
            transaction = open;
        }

        /** Ends its transaction: it would keep its connection for as long as the call hangs. */
        private synchronized void abort() {
            InboxTransaction<?> open = transaction;
            transaction = null;
            if (open != null) {
                open.abort();
            }
        }

        /** True if it was interrupted because it took too long. */
        private synchronized boolean returned() {
            boolean tooLong = interrupted;
            if (tooLong && !Interrupts.areOurs()) {
                // The code may have reacted with an exception, or not yet.
                Thread.interrupted();
            }
            hasHung |= hangs;
            wasLate |= tooLong;
            called = null;
            interrupted = false;
            hangs = false;
            return tooLong;
        }

        /** Whether the last call was interrupted because it took too long. */
        boolean wasLate() {
            return wasLate;
        }

        /**
         * What the last call has failed with, although it took too long.
         *
         * @param cause what it has thrown; null where it has thrown nothing
         */
        HandlerTimeoutException tookTooLong(@Nullable Throwable cause) {
            String sending =
                    longest.equals(longestCall) ? "" : ", and a second for each message of a batch that is sent,";
            return new HandlerTimeoutException(
                    "the handler was interrupted after " + DurationText.of(longest) + "; ten times handlerTimeout"
                            + sending
                            + " is the limit. Let it give up by itself before, or set a longer handlerTimeout",
                    cause);
        }

        /** Notes that a call of this batch has failed because it took too long. */
        void noteTimeout() {
            hasTimedOut = true;
        }

        /** Whether a call of this batch has failed because it took too long. */
        boolean hasTimedOut() {
            return hasTimedOut;
        }

        /**
         * Whether a call hung, and has returned since: others have the messages by now, and whatever this thread would begin with
         * them would come too late.
         */
        boolean hasHung() {
            return hasHung;
        }

        /**
         * The transaction is rolled back in which the decoders or handlers of these messages took so long that the database may have ended
         * it before.
         */
        void noteTookLong(List<Envelope> messages) {
            tookLong.addAll(messages);
        }

        /**
         * The batch has come to its end. What others have taken when its transaction was ended was decided about by nobody: they lose it in
         * the same way, and so on. Under a lease it is nobody else's, and each attempt counts.
         */
        void suspectWhatOthersHave() {
            List<Envelope> undecided =
                    tookLong.stream().filter(Running::isWithOthers).toList();
            if (!undecided.isEmpty()) {
                suspect(undecided);
                log.warn(
                        "consumer '{}': the decoder or handler of {} took longer than handlerTimeout, so that the database ended its transaction, and others"
                                + " have taken the message since; where they do not finish it, this process tries it under a lease",
                        consumer,
                        undecided.get(0).message());
            }
        }

        /** A delivery is, where the ledger says that somebody has its key; work is, where its transaction did not take it again. */
        private static boolean isWithOthers(Envelope envelope) {
            return envelope.item() == null
                    ? envelope.hasOutcome() && envelope.outcome() instanceof Outcome.Busy
                    : !envelope.hasOutcome() && !envelope.isTaken();
        }

        /** Has these messages worked on under leases by whoever has them next. */
        void suspect(List<Envelope> messages) {
            RunningBatches.this.suspect(messages);
        }

        private synchronized void forgive(long nanos) {
            time.forgive(nanos);
        }

        /** Interrupts the call that has taken too long; answers whether it turns out now that it hangs. */
        private synchronized boolean limit(long now) {
            if (called == null) {
                return false;
            }
            if (!interrupted && time.isAtLeast(longest)) {
                interrupted = true;
                interruptedAt = now;
                thread.interrupt();
                // Behind it: a log that fails must not keep it from being interrupted.
                log.warn(
                        "consumer '{}': the handler of {} on the thread '{}' has not returned for {} s, it is interrupted",
                        consumer,
                        called.get(0).message(),
                        thread.getName(),
                        time.taken().toSeconds());
            }
            boolean isNew = !hangs;
            hangs = interrupted && now - interruptedAt >= patience;
            if (hangs && isNew) {
                suspect(called);
                abort();
            }
            return hangs;
        }

        /**
         * The messages of a call that has taken so long that the database may have ended the transaction around it; or none. What is not
         * free a while after its transaction was ended here, somebody else has, or has finished.
         */
        private synchronized List<Envelope> overdue() {
            long now = clock.getAsLong();
            boolean isOthers = hangs && now - interruptedAt >= 3 * patience;
            boolean isOverdue = called != null && !left && !isOthers && time.isAtLeast(handlerTimeout.multipliedBy(2));
            return isOverdue ? List.copyOf(called) : List.of();
        }

        /** What the call has is with others by now. */
        private synchronized void leave(List<Envelope> messages) {
            left |= called != null && messages.equals(called);
        }

        /** Whether others go on in its place. */
        private synchronized boolean isReplaced() {
            return hangs && isReplaceable && !isNotReplaced;
        }

        private synchronized @Nullable Message hangsAt() {
            return hangs && called != null ? called.get(0).message() : null;
        }

        /** As {@link RunningBatches#isSuspect}. */
        boolean isSuspect(MessageKey key) {
            return RunningBatches.this.isSuspect(key);
        }

        void end() {
            running.remove(this);
        }
    }

    /**
     * Work that was taken from the database, and whose handler does not return.
     *
     * @param workPartition where it is
     * @param messages those that the handler has
     * @param left to be called once others have them
     */
    record Overdue(int workPartition, List<Envelope> messages, Runnable left) {}

    Running begin(Intake<?> intake) {
        Running batch = new Running(intake);
        running.add(batch);
        return batch;
    }

    /**
     * Calls a listener with each thread whose call hangs, at every look while it hangs. The listener answers false where the thread is its
     * own and no other thread takes its place.
     */
    Runnable whenOneHangs(Predicate<Thread> listener) {
        whenOneHangs.add(listener);
        return () -> whenOneHangs.remove(listener);
    }

    /** Whether the handler of a message hung in this process. */
    private boolean isSuspect(MessageKey key) {
        if (!hasSuspects) {
            return false;
        }
        synchronized (suspects) {
            return suspects.contains(key);
        }
    }

    private void suspect(List<Envelope> messages) {
        synchronized (suspects) {
            messages.forEach(envelope -> suspects.add(envelope.key()));
            while (suspects.size() > MOST_SUSPECTS) {
                suspects.remove(suspects.iterator().next());
            }
        }
        hasSuspects = true;
    }

    /**
     * The batches that have been in work for longer than the limit, and that messages wait for: how long, and on which thread.
     *
     * @param replaced threads that hang under a lease, so that no batch is known to
     */
    List<String> slow(Set<Thread> replaced) {
        return running.stream()
                .filter(batch ->
                        batch.inWork().compareTo(slow) >= 0 && !batch.isReplaced() && !replaced.contains(batch.thread))
                .map(batch -> batch.inWork().toSeconds() + " s on thread '" + batch.thread.getName() + "'")
                .toList();
    }

    /** The threads whose handler hangs, each with a message that it is at. */
    Map<Thread, Message> hanging() {
        Map<Thread, Message> hanging = new HashMap<>();
        for (Running batch : running) {
            Message message = batch.hangsAt();
            if (message != null) {
                hanging.put(batch.thread, message);
            }
        }
        return hanging;
    }

    /** What was taken from the database and has been with a handler for twice as long as one may stay away from the database. */
    List<Overdue> overdueWork() {
        return running.stream()
                .filter(batch -> batch.intake instanceof DueWork<?>)
                .map(RunningBatches::overdue)
                .filter(overdue -> !overdue.messages().isEmpty())
                .toList();
    }

    private static Overdue overdue(Running batch) {
        List<Envelope> messages = batch.overdue();
        return new Overdue(((DueWork<?>) batch.intake).workPartition(), messages, () -> batch.leave(messages));
    }

    /** Ends calls that take too long, and reports what is slow. */
    void look() {
        long stoodStill = standstillSinceLastLook();
        for (Running batch : running) {
            batch.forgive(stoodStill);
            if (batch.limit(clock.getAsLong())) {
                notifyOfHanging(batch);
            }
        }
        running.forEach(Running::report);
    }

    /** Several threads may look, those of tests. */
    private long standstillSinceLastLook() {
        synchronized (standstill) {
            return standstill.look();
        }
    }

    /** Ends the transactions of threads that hang although no batch of theirs is known to: in a handler under a lease. */
    void abortTransactionsOf(Set<Thread> hanging) {
        for (Running batch : running) {
            if (hanging.contains(batch.thread)) {
                batch.abort();
            }
        }
    }

    private void notifyOfHanging(Running batch) {
        Thread hangs = batch.thread;
        try {
            boolean isNotReplaced = false;
            for (Predicate<Thread> listener : whenOneHangs) {
                isNotReplaced |= !listener.test(hangs);
            }
            batch.isNotReplaced = isNotReplaced;
        } catch (Throwable e) {
            log.warn(
                    "consumer '{}': the thread '{}' hangs and could not be replaced, trying again",
                    consumer,
                    hangs.getName(),
                    FailureText.readable(e));
        }
    }
}
