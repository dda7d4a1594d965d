package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.ClaimBlockedException;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One transaction over a group of messages, from BEGIN to COMMIT: bring them in, run the handlers of what is new or due,
 * write what is decided, commit. It either commits, or rolls back and says why; nothing that it proposed counts then. Used
 * once, by one thread.
 */
final class TransactionRun<C extends HandlerContext> {
    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final Intake<C> intake;
    private final Plan plan;
    private final Desk<C> desk;
    private final Verdicts<C> verdicts;

    TransactionRun(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            Routing<C> routing,
            EngineSettings settings,
            Intake<C> intake,
            Plan plan) {
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.intake = intake;
        this.plan = plan;
        this.desk = new Desk<>(consumer, routing, settings, plan);
        this.verdicts = desk.verdicts();
    }

    RunResult run() {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            try {
                intake.admit(transaction, desk);
                verdicts.admitted();
            } catch (ClaimBlockedException e) {
                return new RunResult.Blocked(new Failure(e, ErrorClass.RETRY_NOW, Duration.ZERO));
            } catch (StoreException e) {
                return refused(e, true);
            }
            RunResult failed = plan.isolated() ? runIsolated(transaction) : runTogether(transaction);
            if (failed != null) {
                return failed;
            }
            try {
                verdicts.write(transaction, intake.group());
                intake.depart(transaction);
            } catch (StoreException e) {
                return refused(e, false);
            }
            try {
                transaction.commit();
            } catch (StoreException e) {
                return judge(e, null, Duration.ZERO);
            }
            return new RunResult.Committed(verdicts.due());
        }
    }

    /** All handlers one after the other, then their deferred writes: fast, as long as none of them fails. */
    private @Nullable RunResult runTogether(InboxTransaction<C> transaction) {
        for (Task<C> task : desk.tasks().list()) {
            long started = System.nanoTime();
            try {
                task.run(envelope -> context(transaction, envelope));
            } catch (Throwable e) {
                return judge(e, task.soleEnvelope(), since(started));
            }
        }
        try {
            transaction.flush();
        } catch (DeferredWriteException e) {
            return judge(e, desk.tasks().envelopeOf(e.key()), Duration.ZERO);
        } catch (StoreException e) {
            return judge(e, null, Duration.ZERO);
        }
        desk.tasks().list().forEach(task -> task.envelopes().forEach(verdicts::processed));
        return null;
    }

    /** Each handler under a savepoint, with its deferred writes and the constraints that wait for the commit. */
    private @Nullable RunResult runIsolated(InboxTransaction<C> transaction) {
        for (Task<C> task : desk.tasks().list()) {
            Envelope envelope = task.envelopes().get(0);
            if (verdicts.isBlocked(envelope)) {
                verdicts.behind(envelope);
                continue;
            }
            long started = System.nanoTime();
            try {
                transaction.savepoint();
                task.run(each -> context(transaction, each));
                transaction.flush();
                transaction.checkConstraints();
                verdicts.processed(envelope);
            } catch (Throwable e) {
                RunResult judged = judge(e, envelope, since(started));
                if (!(judged instanceof RunResult.Culprit culprit)) {
                    return judged;
                }
                try {
                    transaction.rollbackToSavepoint();
                } catch (StoreException lost) {
                    return culprit;
                }
                verdicts.failed(envelope, culprit.failure());
            }
        }
        return null;
    }

    private C context(InboxTransaction<C> transaction, Envelope envelope) {
        return transaction.context(consumer, envelope.key(), envelope.message(), envelope.attempt());
    }

    /** A statement of the engine's own was refused, which is never the fault of a message. */
    private RunResult refused(StoreException e, boolean beforeHandlers) {
        return switch (store.classify(e)) {
            case RETRY_NOW ->
                new RunResult.Transient(null, new Failure(e, ErrorClass.RETRY_NOW, Duration.ZERO), beforeHandlers);
            case UNAVAILABLE -> {
                store.probe();
                yield new RunResult.Transient(
                        null, new Failure(e, ErrorClass.UNAVAILABLE, Duration.ZERO), beforeHandlers);
            }
            case ABORTED -> new RunResult.Unattributed(new Failure(e, ErrorClass.MESSAGE, Duration.ZERO));
            case MESSAGE, PERMANENT, UNKNOWN ->
                throw new RetryableException(
                        "the database refused a statement of the inbox itself, for "
                                + intake.group().size()
                                + " messages; nothing was committed. See the cause, then hand them in again",
                        e);
        };
    }

    /** Whose failure is it? */
    private RunResult judge(Throwable e, @Nullable Envelope culprit, Duration duration) {
        if (e instanceof VirtualMachineError fatal && !(e instanceof StackOverflowError)) {
            throw fatal;
        }
        if (e instanceof InterruptedException || Thread.currentThread().isInterrupted()) {
            Thread.currentThread().interrupt();
            throw new RetryableException(
                    "interrupted while working on " + intake.group().size()
                            + " messages; nothing was committed, hand them in again",
                    e);
        }
        ErrorClass errorClass = store.classify(e);
        return switch (errorClass) {
            case RETRY_NOW -> new RunResult.Transient(culprit, new Failure(e, errorClass, duration), false);
            case UNAVAILABLE -> {
                store.probe();
                yield new RunResult.Transient(culprit, new Failure(e, errorClass, duration), false);
            }
            case ABORTED ->
                plan.isolated() && culprit != null
                        ? new RunResult.Culprit(culprit, new Failure(e, ErrorClass.MESSAGE, duration))
                        : new RunResult.Unattributed(new Failure(e, ErrorClass.MESSAGE, duration));
            case MESSAGE, PERMANENT, UNKNOWN ->
                culprit != null
                        ? new RunResult.Culprit(culprit, new Failure(e, errorClass, duration))
                        : new RunResult.Unattributed(new Failure(e, errorClass, duration));
        };
    }

    private static Duration since(long started) {
        return Duration.ofNanos(System.nanoTime() - started);
    }
}
