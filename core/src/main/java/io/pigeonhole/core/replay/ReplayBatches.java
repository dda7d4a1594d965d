package io.pigeonhole.core.replay;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Brings the next messages of a run through their handler, and the run's progress with them, in one transaction.
 *
 * <ol>
 *   <li><em>Together.</em> All of a batch without savepoints; nearly always it commits and that was all.
 *   <li><em>Isolated.</em> Something failed: a part of it again, each message under a savepoint, so that those before the one
 *       that fails have their effects. The one that fails stops the run, or is passed and recorded.
 *   <li><em>Alone.</em> Even that was refused as a whole, at its COMMIT: one message, and if that is refused too, it is the
 *       one that fails.
 * </ol>
 *
 * <p>What the database refuses in passing is tried a few times more at each of these steps, with pauses that grow. Whatever a
 * message has the database do, and that is refused each time, is the failure of that message, for which it was tried over a
 * second at least; for the run's own statements no message is at fault.
 *
 * <p>Whatever the end of a COMMIT was, the next transaction reads how far the run is: there is nothing to be handed in again.
 * Safe for use by many threads.
 */
final class ReplayBatches<C extends HandlerContext> {
    /** Half of the 64 subtransactions that PostgreSQL keeps in a backend's cache. */
    private static final int CHUNK = 32;

    private static final int MOST_TRIES = 5;

    /** Where a message has to be decided about: its pauses come to 1.3 seconds at least, and to 2.6 at most. */
    private static final int MOST_TRIES_OF_A_MESSAGE = 8;

    private static final long FIRST_PAUSE_MILLIS = 20;

    private final InboxStore<C> store;
    private final ReplaySettings settings;
    private final Handler<Message, C> handler;

    ReplayBatches(InboxStore<C> store, ReplaySettings settings, Handler<Message, C> handler) {
        this.store = store;
        this.settings = settings;
        this.handler = handler;
    }

    /** One more batch, or none where somebody else has ended the run; empty where another is at work on it. */
    Optional<ReplayStep> next() {
        Attempts attempts = new Attempts();
        try {
            while (true) {
                Optional<ReplayStep> step = attempt(attempts);
                if (attempts.ended) {
                    return step;
                }
            }
        } finally {
            if (attempts.interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** What the attempts at one batch have taught so far. */
    private final class Attempts {
        private int tries;
        /** The same of single messages, by their places. */
        private final Map<Long, Integer> triesOf = new HashMap<>();

        private int limit = settings.batch();
        private boolean isolated;
        /** The places of messages that are known to fail, which do not run again, and what they failed with. */
        private final Map<Long, Throwable> failing = new HashMap<>();
        /** A handler left an interrupt behind: the caller finds it again, once the batch is decided. */
        private boolean interrupted;

        private boolean ended;
        /** How many messages were handled by batches whose COMMIT was not answered and which are found to be committed. */
        private long handledBefore;
        /** What was to be committed last. */
        private @Nullable ReplayStep sent;

        void found(ReplayProgress run) {
            if (sent != null && sent.isIn(run)) {
                handledBefore += sent.handled();
            }
            sent = null;
        }
    }

    private Optional<ReplayStep> attempt(Attempts so) {
        ReplayBatch<C> batch = null;
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            Optional<ReplayProgress> held =
                    transaction.replay().lock(settings.plan().name());
            held.ifPresent(so::found);
            if (held.isEmpty() || held.get().state() != ReplayState.RUNNING) {
                so.ended = true;
                return held.map(run -> new ReplayStep(run, so.handledBefore));
            }
            batch = new ReplayBatch<>(transaction, held.get(), settings, handler);
            batch.read(so.limit);
            ReplayProgress after = so.isolated
                    ? batch.isolated(store::classify, entry -> so.failing.get(entry.place()))
                    : batch.together();
            ReplayStep step = ReplayStep.between(held.get(), after);
            so.sent = step;
            batch.commit();
            so.ended = true;
            return Optional.of(new ReplayStep(after, so.handledBefore + step.handled()));
        } catch (Throwable e) {
            failed(so, batch, e);
            return Optional.empty();
        } finally {
            so.interrupted |= batch != null && batch.wasInterrupted();
        }
    }

    /** Learns from a failure how the next attempt is to be made. Throws what no attempt mends. */
    private void failed(Attempts so, @Nullable ReplayBatch<C> batch, Throwable e) {
        boolean ofHandler = batch != null && batch.isOfHandler(e);
        boolean ofMessages = batch != null && batch.wasAtMessages() && (ofHandler || !isUnknownCommit(e));
        if (passes(e, ofHandler, ofMessages)) {
            HistoryEntry decided = so.isolated && ofMessages && batch != null ? batch.culprit() : null;
            int tries = decided == null ? ++so.tries : so.triesOf.merge(decided.place(), 1, Integer::sum);
            if (tries < (decided == null ? MOST_TRIES : MOST_TRIES_OF_A_MESSAGE)) {
                pause(tries, e);
                return;
            }
            if (batch != null && batch.hasMetFullDisk(e)) {
                throw new StoreUnavailableException(
                        "the replay '" + settings.plan().name() + "' got no batch through in " + tries
                                + " tries, as a table has no room on its disk, or cannot be written; make room, and run it again",
                        e);
            }
            if (!ofMessages) {
                throw new RetryableException(
                        "the replay '" + settings.plan().name() + "' got no batch through in " + MOST_TRIES
                                + " tries, and no message is at fault; run it again",
                        e);
            }
        }
        so.tries = 0;
        HistoryEntry culprit = batch == null ? null : batch.culprit();
        if (!so.isolated) {
            so.isolated = true;
            so.limit = Math.min(so.limit, CHUNK);
        } else if (culprit != null && !so.failing.containsKey(culprit.place())) {
            so.failing.put(culprit.place(), e);
        } else if (so.limit > 1) {
            so.limit = 1;
        } else {
            throw new RetryableException(
                    "the database refused a statement of the replay '"
                            + settings.plan().name()
                            + "' itself; nothing of the batch was committed. See the cause, then run it again",
                    e);
        }
    }

    /** Whether it is an infrastructure error, so that the same can be tried again. */
    private boolean passes(Throwable e, boolean ofHandler, boolean ofMessages) {
        boolean ofApplication = ofHandler || e instanceof StackOverflowError || e instanceof OutOfMemoryError;
        if (e instanceof VirtualMachineError fatal && !ofApplication) {
            throw fatal;
        }
        if (isUnknownCommit(e)) {
            return !ofHandler;
        }
        ErrorClass errorClass = store.classify(e);
        if (errorClass == ErrorClass.UNAVAILABLE) {
            store.probe();
            return true;
        }
        boolean ownStatement = !ofMessages && e instanceof StoreException;
        return errorClass == ErrorClass.RETRY_NOW || (ownStatement && errorClass == ErrorClass.UNKNOWN);
    }

    private static boolean isUnknownCommit(Throwable e) {
        return e instanceof OutcomeUnknownException;
    }

    /** From half of a time that doubles with each try to all of it. An interrupt, which would cut it short, ends the run. */
    private void pause(int tries, Throwable why) {
        long longest = TimeUnit.MILLISECONDS.toNanos(FIRST_PAUSE_MILLIS << (tries - 1));
        long end = System.nanoTime() + ThreadLocalRandom.current().nextLong(longest / 2, longest);
        long left = longest;
        while (left > 0) {
            if (Thread.currentThread().isInterrupted()) {
                throw new RetryableException(
                        "interrupted in the replay '" + settings.plan().name()
                                + "' before a batch was tried again; what was committed stays, run it again",
                        why);
            }
            left = end - System.nanoTime();
            LockSupport.parkNanos(this, left);
        }
    }
}
