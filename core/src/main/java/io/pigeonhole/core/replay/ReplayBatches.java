package io.pigeonhole.core.replay;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.StoreException;
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

    /** A message that made a COMMIT of its own fail. */
    private record Condemned(long place, Throwable failure) {}

    /** The run after one more batch, or as somebody else left it; empty where another is at work on it. */
    Optional<ReplayProgress> next() {
        int tries = 0;
        int limit = settings.batch();
        boolean isolated = false;
        Condemned condemned = null;
        while (true) {
            ReplayBatch<C> batch = null;
            try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
                Optional<ReplayProgress> held =
                        transaction.replay().lock(settings.plan().name());
                if (held.isEmpty() || held.get().state() != ReplayState.RUNNING) {
                    return held;
                }
                batch = new ReplayBatch<>(transaction, held.get(), settings, handler);
                batch.read(limit);
                ReplayProgress after = isolated ? isolated(batch, condemned) : batch.together();
                transaction.commit();
                return Optional.of(after);
            } catch (Throwable e) {
                boolean passes = passes(e);
                if (passes && ++tries == MOST_TRIES) {
                    throw new RetryableException(
                            "the replay '" + settings.plan().name() + "' got no batch through in " + MOST_TRIES
                                    + " tries, and no message is at fault; run it again",
                            e);
                }
                if (passes) {
                    pause();
                } else if (!isolated) {
                    isolated = true;
                    limit = Math.min(limit, CHUNK);
                } else if (limit > 1) {
                    limit = 1;
                } else if (batch != null && batch.only() != null && condemned == null) {
                    condemned = new Condemned(batch.only().place(), e);
                } else {
                    throw new RetryableException(
                            "the database refused a statement of the replay '"
                                    + settings.plan().name()
                                    + "' itself; nothing of the batch was committed. See the cause, then run it again",
                            e);
                }
            }
        }
    }

    private ReplayProgress isolated(ReplayBatch<C> batch, @Nullable Condemned condemned) throws Throwable {
        return batch.isolated(
                store::classify,
                entry -> condemned != null && condemned.place() == entry.place() ? condemned.failure() : null);
    }

    /** Whether it is nobody's fault, so that the same can be tried again. */
    private boolean passes(Throwable e) {
        if (e instanceof VirtualMachineError fatal && !(e instanceof StackOverflowError)) {
            throw fatal;
        }
        if (e instanceof InterruptedException || Thread.currentThread().isInterrupted()) {
            Thread.currentThread().interrupt();
            throw new RetryableException(
                    "interrupted in the replay '" + settings.plan().name()
                            + "'; what was committed stays, run it again",
                    e);
        }
        if (e instanceof OutcomeUnknownException) {
            return true;
        }
        ErrorClass errorClass = store.classify(e);
        if (errorClass == ErrorClass.UNAVAILABLE) {
            store.probe();
            return true;
        }
        boolean ownStatement = e instanceof StoreException && !(e instanceof DeferredWriteException);
        return errorClass == ErrorClass.RETRY_NOW || (ownStatement && errorClass == ErrorClass.UNKNOWN);
    }

    private static void pause() {
        LockSupport.parkNanos(
                TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(1, LONGEST_PAUSE_MILLIS)));
    }
}
