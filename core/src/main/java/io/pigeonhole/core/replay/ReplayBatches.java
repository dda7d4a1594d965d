package io.pigeonhole.core.replay;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.StoreException;
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
 * <p>What the database refuses in passing is tried a few times more at each of these steps. Whatever a message has the
 * database do, and that is refused each time, is the failure of that message; the run's own statements are nobody's.
 *
 * <p>Whatever the end of a COMMIT was, the next transaction reads how far the run is: there is nothing to be handed in again.
 * Safe for use by many threads.
 */
final class ReplayBatches<C extends HandlerContext> {
    /** Half of the 64 subtransactions that PostgreSQL keeps in a backend's cache. */
    private static final int CHUNK = 32;

    private static final int MOST_TRIES = 5;
    private static final long LONGEST_PAUSE_MILLIS = 20;

    private final InboxStore<C> store;
    private final ReplaySettings settings;
    private final Handler<Message, C> handler;

    ReplayBatches(InboxStore<C> store, ReplaySettings settings, Handler<Message, C> handler) {
        this.store = store;
        this.settings = settings;
        this.handler = handler;
    }

    /** The run after one more batch, or as somebody else left it; empty where another is at work on it. */
    Optional<ReplayProgress> next() {
        Attempts attempts = new Attempts();
        try {
            while (true) {
                Optional<ReplayProgress> after = attempt(attempts);
                if (attempts.ended) {
                    return after;
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
        private int limit = settings.batch();
        private boolean isolated;
        /** The places of messages that are known to fail, which do not run again, and what they failed with. */
        private final Map<Long, Throwable> condemned = new HashMap<>();
        /** A handler left an interrupt behind: the caller finds it again, once the batch is decided. */
        private boolean interrupted;

        private boolean ended;
    }

    private Optional<ReplayProgress> attempt(Attempts so) {
        ReplayBatch<C> batch = null;
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            Optional<ReplayProgress> held =
                    transaction.replay().lock(settings.plan().name());
            if (held.isEmpty() || held.get().state() != ReplayState.RUNNING) {
                so.ended = true;
                return held;
            }
            batch = new ReplayBatch<>(transaction, held.get(), settings, handler);
            batch.read(so.limit);
            ReplayProgress after = so.isolated
                    ? batch.isolated(store::classify, entry -> so.condemned.get(entry.place()))
                    : batch.together();
            batch.commit();
            so.ended = true;
            return Optional.of(after);
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
            if (++so.tries < MOST_TRIES) {
                pause();
                return;
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
        } else if (culprit != null && !so.condemned.containsKey(culprit.place())) {
            so.condemned.put(culprit.place(), e);
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

    /** Whether it is nobody's fault, so that the same can be tried again. */
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

    private static void pause() {
        LockSupport.parkNanos(
                TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(1, LONGEST_PAUSE_MILLIS)));
    }
}
