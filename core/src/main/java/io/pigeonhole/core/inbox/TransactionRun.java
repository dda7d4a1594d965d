package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One transaction over a group of messages, from BEGIN to COMMIT: bring them in, run the handlers of what is new or due,
 * write what is decided, commit. It either commits, or rolls back and says why; nothing that it proposed counts then. Used
 * once, by one thread.
 *
 * <p>One long class, because whose failure it is depends on all that has happened in the transaction so far.
 */
final class TransactionRun<C extends HandlerContext> {

    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final Listeners listeners;
    private final Intake<C> intake;
    private final Plan plan;
    private final RunningBatches.Running batch;
    private final Dispatcher<C> dispatcher;
    private final Decisions<C> decisions;
    /** What the application's code threw last; everything else was thrown by the store or the engine. */
    private @Nullable Throwable thrown;
    /** What returned without a failure although it was interrupted, because it took too long. */
    private @Nullable Late<C> late;
    /** Whether the transaction was lost when the run ended. */
    private boolean isLost;
    /** When the transaction was used last, as far as is known: handlers may have done so since. */
    private long used;
    /** Messages whose decoder or handler came back when the database may have ended the transaction by then. */
    private final List<Envelope> tookLong = new ArrayList<>(0);

    /** A call that took too long, and what is said of it. */
    private record Late<C extends HandlerContext>(Task<C> task, Exception tooLong) {}

    TransactionRun(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            Routing<C> routing,
            EngineSettings settings,
            Listeners listeners,
            Intake<C> intake,
            Plan plan,
            RunningBatches.Running batch) {
        this.batch = batch;
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.listeners = listeners;
        this.intake = intake;
        this.plan = plan;
        this.dispatcher = new Dispatcher<>(consumer, routing, settings, plan, batch);
        this.decisions = dispatcher.decisions();
    }

    /** Whether the database is there is asked once the connection is given back: who waits for a second one waits for others. */
    RunResult run() {
        Interrupts.clear();
        RunResult result = ofLate(runInTransaction());
        if (result instanceof RunResult.RolledBack) {
            batch.noteTookLong(tookLong);
        }
        if (result instanceof RunResult.Transient passing && passing.failure().errorClass() == ErrorClass.UNAVAILABLE) {
            store.probe();
        }
        return result;
    }

    /**
     * Where a handler returned without a failure although it was interrupted, and the transaction was lost, it had most likely ended
     * before: that is the handler's failure. What the database refuses in a transaction that lives is not.
     */
    private RunResult ofLate(RunResult result) {
        Late<C> late = this.late;
        if (late == null || !isLost || !(result instanceof RunResult.RolledBack failed) || !mayBeOf(late, failed)) {
            return result;
        }
        suspectOthers(late.task().envelopes());
        Failure failure = new Failure(
                tooLong(late, failed.failure().cause()),
                ErrorClass.MESSAGE,
                failed.failure().duration());
        Envelope sole = late.task().soleEnvelope();
        return sole == null ? new RunResult.Unattributed(failure) : new RunResult.Culprit(sole, failure);
    }

    /** Not with what was met for a cause: that says nothing to the rules by which this one is retried. */
    private Exception tooLong(Late<C> late, Throwable met) {
        batch.noteTimeout();
        suppress(late.tooLong(), met);
        return late.tooLong();
    }

    private static boolean isLost(InboxTransaction<?> transaction) {
        return transaction.hasLostConnection() || transaction.hasTimedOut();
    }

    /** The same of what is met behind a handler that has a savepoint of its own. */
    private Throwable ofLate(Throwable met, InboxTransaction<C> transaction) {
        Late<C> late = this.late;
        return late != null && isLost(transaction) ? tooLong(late, met) : met;
    }

    private static boolean mayBeOf(Late<?> late, RunResult.RolledBack result) {
        return result instanceof RunResult.Transient
                || result instanceof RunResult.Unattributed
                || (result instanceof RunResult.Culprit culprit
                        && late.task().envelopes().contains(culprit.envelope()));
    }

    private RunResult runInTransaction() {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            batch.isIn(transaction);
            try {
                return runIn(transaction);
            } finally {
                isLost = isLost(transaction);
                batch.isIn(null);
            }
        }
    }

    private RunResult runIn(InboxTransaction<C> transaction) {
        used = System.nanoTime();
        try {
            intake.admit(transaction, dispatcher);
            // Each was decided about in the light of those before it. From now on only what fails in the run blocks
            // a key:
            // what was decided about later messages must not hold back earlier ones.
            decisions.blocked().clear();
        } catch (DecoderTimeoutException e) {
            return new RunResult.Culprit(e.envelope(), e.failure());
        } catch (ClaimBlockedException e) {
            return new RunResult.Blocked(new Failure(e, ErrorClass.RETRY_NOW, Duration.ZERO));
        } catch (NotReopenedException e) {
            return refused(e.refusal(), !isOfAMessage(classOf(e.refusal())), transaction);
        } catch (StoreException e) {
            return refused(e, true, transaction);
        } finally {
            if (hasTakenLong(dispatcher.decoding())) {
                tookLong.addAll(intake.group());
            }
        }
        RunResult failed = plan.isolated() ? runIsolated(transaction) : runTogether(transaction);
        if (failed != null) {
            return failed;
        }
        try {
            decisions.writes().write(transaction, intake.group());
            intake.depart(transaction);
        } catch (StoreException e) {
            return refused(e, false, transaction);
        }
        try {
            transaction.commit();
        } catch (StoreException e) {
            // Where no handler has run, what the COMMIT refuses is what is to be kept of the messages.
            boolean own = dispatcher.tasks().list().isEmpty() && isOfAMessage(classOf(e));
            return own ? refused(e, false, transaction) : judge(e, null, Duration.ZERO, transaction);
        }
        return new RunResult.Committed(decisions.writes().due());
    }

    /** All handlers one after the other, then their deferred writes: fast, as long as none of them fails. */
    private @Nullable RunResult runTogether(InboxTransaction<C> transaction) {
        List<Task<C>> tasks = dispatcher.tasks().list();
        int sent = 0;
        Duration duration = Duration.ZERO;
        for (int i = 0; i < tasks.size(); i++) {
            // Decoders may have taken long as well.
            if (mayBeEndedSoon(since(used))) {
                RunResult lost = use(transaction, tasks.subList(sent, i), duration);
                if (lost != null) {
                    return lost;
                }
                sent = i;
                used = System.nanoTime();
            }
            Task<C> task = tasks.get(i);
            boolean metError = transaction.hasMetError();
            long started = System.nanoTime();
            try {
                call(task, transaction);
            } catch (Throwable e) {
                RunResult judged = judge(e, culprit(e, task), since(started), transaction);
                return judged instanceof RunResult.Culprit culprit
                                && (metError || mayBeOfOthers(culprit.failure(), since(started), transaction))
                        ? new RunResult.Unattributed(culprit.failure())
                        : judged;
            }
            duration = since(started);
        }
        RunResult failed = flushTogether(transaction, tasks.subList(sent, tasks.size()));
        if (failed != null) {
            return failed;
        }
        tasks.forEach(task -> task.envelopes().forEach(decisions::processed));
        return null;
    }

    private @Nullable RunResult flushTogether(InboxTransaction<C> transaction, List<Task<C>> tasks) {
        try {
            flush(transaction, tasks);
            return null;
        } catch (DeferredWriteException e) {
            return judge(e, dispatcher.tasks().envelopeOf(e.key()), Duration.ZERO, transaction);
        } catch (ConfigurationException e) {
            throw e;
        } catch (Throwable e) {
            // Some value that a handler has deferred, or all of them together; one by one it shows.
            return judge(e, dispatcher.tasks().soleEnvelope(), Duration.ZERO, transaction);
        }
    }

    /** The database ends a transaction that nobody has used for as long as a handler may take. */
    private boolean mayBeEndedSoon(Duration unused) {
        return unused.compareTo(settings.handlerTimeout().dividedBy(4)) >= 0;
    }

    /**
     * Whether what a handler threw may be the end of its transaction, of which it is the first to know: the connection is lost, or nobody has used
     * it for too long, and it was not this handler alone. Isolated it shows.
     */
    private boolean mayBeOfOthers(Failure failure, Duration duration, InboxTransaction<C> transaction) {
        return !(failure.cause() instanceof HandlerTimeoutException)
                && !hasTakenLong(duration)
                && (hasTakenLong(since(used)) || transaction.hasLostConnection());
    }

    /**
     * So that handlers that only defer do not lose it, all of them together, though each was fast. Where one alone has taken so long that it
     * is lost already, those behind it need not run in vain.
     */
    private @Nullable RunResult use(InboxTransaction<C> transaction, List<Task<C>> run, Duration duration) {
        RunResult failed = flushTogether(transaction, run);
        if (failed != null) {
            return failed;
        }
        try {
            transaction.savepoint();
            late = null;
            return null;
        } catch (StoreException e) {
            return judge(e, null, duration, transaction);
        }
    }

    /**
     * Whoever asks for the connection sends what others have deferred: a write of theirs that fails there is theirs, however
     * the handler that met it hands the error on.
     */
    private @Nullable Envelope culprit(Throwable failure, Task<C> task) {
        for (Throwable cause : Causes.of(failure)) {
            Envelope culprit = cause instanceof DeferredWriteException e
                    ? dispatcher.tasks().find(e.key())
                    : null;
            if (culprit != null) {
                return culprit;
            }
        }
        return task.soleEnvelope();
    }

    /** Each handler under a savepoint, with its deferred writes and the constraints that wait for the commit. */
    private @Nullable RunResult runIsolated(InboxTransaction<C> transaction) {
        boolean timedOut = false;
        for (Task<C> task : dispatcher.tasks().list()) {
            Envelope envelope = task.envelopes().get(0);
            if (timedOut || decisions.isBlocked(envelope)) {
                dispatcher.stayBehind(envelope);
                continue;
            }
            try {
                transaction.savepoint();
                // The transaction lives: whoever came before has not lost it.
                late = null;
                used = System.nanoTime();
            } catch (StoreException e) {
                // The one that stands is that of the message before, or of the claims: a rollback would undo these.
                return judge(e, null, Duration.ZERO, transaction);
            }
            long started = System.nanoTime();
            try {
                call(task, transaction);
                flush(transaction, List.of(task));
                transaction.checkConstraints();
            } catch (Throwable thrown) {
                Throwable e = ofLate(thrown, transaction);
                RunResult judged = judge(e, envelope, since(started), transaction);
                if (!(judged instanceof RunResult.Culprit culprit)) {
                    return judged;
                }
                try {
                    transaction.rollbackToSavepoint();
                } catch (StoreException lost) {
                    return hasTakenLong(culprit.failure().duration()) ? culprit.tookTooLong() : culprit;
                }
                decisions.failed(envelope, culprit.failure());
                // What failed so late may do so with the next one as well: that comes later, and this is committed.
                timedOut = e instanceof HandlerTimeoutException;
                continue;
            }
            decisions.processed(envelope);
        }
        return null;
    }

    /**
     * Runs code of the application; whatever it throws comes out, an interrupt that it leaves behind does not, and a thread that
     * it leaves behind must not write into what comes after it.
     */
    private void call(Task<C> task, InboxTransaction<C> transaction) throws Exception {
        Interrupts.requireNotEnding(intake.group().size(), null);
        try {
            if (task instanceof Task.UnderLease<C> leased) {
                callHandler(task, transaction);
                // What an external handler wants to write is written as long as the lease is held, however often that
                // takes.
                if (leased.lease().hasTakenTooLong() && !leased.evenLate()) {
                    late = new Late<>(task, leased.lease().tookTooLong());
                }
            } else {
                batch.call(task.envelopes(), () -> {
                    callHandler(task, transaction);
                    return task;
                });
                if (batch.wasLate()) {
                    late = new Late<>(task, batch.tookTooLong(null));
                }
            }
        } catch (Throwable e) {
            thrown = e;
            if (e instanceof HandlerTimeoutException) {
                suspectOthers(task.envelopes());
            }
            Interrupts.clear();
            endContexts(transaction, task, e);
            throw e;
        } finally {
            Interrupts.clear();
            if (hasTakenLong(since(used))) {
                tookLong.addAll(task.envelopes());
            }
        }
        transaction.endContexts();
        transaction.handlerReturned();
    }

    private void callHandler(Task<C> task, InboxTransaction<C> transaction) throws Exception {
        listeners.aroundHandler(task.envelopes(), () -> task.run(envelope -> context(transaction, envelope)));
    }

    /** Where a write of another message has failed, what this one throws may be for that reason: the other is judged first. */
    private void endContexts(InboxTransaction<C> transaction, Task<C> task, Throwable failure) {
        try {
            transaction.endContexts();
        } catch (StoreException e) {
            boolean own = plan.isolated()
                    || failure instanceof HandlerTimeoutException
                    || (e instanceof DeferredWriteException write && isOf(write, task));
            if (!own) {
                throw e;
            }
            suppress(failure, e);
        } catch (ConfigurationException e) {
            suppress(e, failure);
            throw e;
        } catch (RuntimeException e) {
            suppress(failure, e);
        }
    }

    private static boolean isOf(DeferredWriteException write, Task<?> task) {
        return task.envelopes().stream().anyMatch(envelope -> envelope.key().equals(write.key()));
    }

    private static void suppress(Throwable failure, Throwable other) {
        if (failure != other) {
            failure.addSuppressed(other);
        }
    }

    /** What is deferred may run code of the application as well, to read what it sends. */
    private void flush(InboxTransaction<C> transaction, List<Task<C>> tasks) throws Exception {
        if (tasks.isEmpty()) {
            return;
        }
        try {
            if (tasks.get(0) instanceof Task.UnderLease<C> leased) {
                leased.lease().complete(() -> flushed(transaction));
            } else {
                List<Envelope> deferredBy = Tasks.envelopesOf(tasks);
                try {
                    batch.send(deferredBy, () -> flushed(transaction));
                } catch (HandlerTimeoutException e) {
                    suspectOthers(deferredBy);
                    throw e;
                }
            }
        } finally {
            Interrupts.clear();
        }
    }

    private static <T extends InboxTransaction<?>> T flushed(T transaction) {
        transaction.flush();
        return transaction;
    }

    /** It is not known which of them took too long: under leases each is alone. */
    private void suspectOthers(List<Envelope> envelopes) {
        if (envelopes.size() > 1) {
            batch.suspect(envelopes);
        }
    }

    private C context(InboxTransaction<C> transaction, Envelope envelope) {
        return transaction.context(consumer, envelope.key(), envelope.message(), envelope.attempt());
    }

    /**
     * A statement of the engine's own was refused, which is no failure of a handler. Before the handlers little depends on
     * what is in a message; afterwards it may be what is to be kept of it that no table takes.
     */
    private RunResult refused(StoreException e, boolean beforeHandlers, InboxTransaction<C> transaction) {
        ErrorClass errorClass = classOf(e);
        if (!beforeHandlers && isOfAMessage(errorClass)) {
            return new RunResult.Refused(new Failure(e, errorClass, Duration.ZERO));
        }
        return switch (errorClass) {
            case RETRY_NOW ->
                new RunResult.Transient(null, new Failure(e, ErrorClass.RETRY_NOW, Duration.ZERO), beforeHandlers);
            case UNAVAILABLE -> {
                Failure failure = new Failure(e, ErrorClass.UNAVAILABLE, Duration.ZERO);
                yield !beforeHandlers && transaction.hasMetFullDisk(e)
                        ? new RunResult.Unattributed(failure)
                        : new RunResult.Transient(null, failure, beforeHandlers);
            }
            case ABORTED ->
                beforeHandlers && intake.group().size() == 1
                        ? new RunResult.Transient(null, new Failure(e, ErrorClass.RETRY_NOW, Duration.ZERO), true)
                        : new RunResult.Unattributed(new Failure(e, ErrorClass.MESSAGE, Duration.ZERO));
            case MESSAGE, PERMANENT, UNKNOWN -> {
                if (!beforeHandlers) {
                    throw refusedItself(intake.group().size(), e);
                }
                yield new RunResult.NotTaken(new Failure(e, errorClass, Duration.ZERO));
            }
        };
    }

    static RetryableException refusedItself(int messages, Throwable refusal) {
        return new RetryableException(
                "the database refused a statement of the inbox itself, for "
                        + messages
                        + " messages; nothing was committed. See the cause, then hand them in again",
                refusal);
    }

    private ErrorClass classOf(StoreException e) {
        return e.errorClass() == ErrorClass.UNKNOWN ? ErrorClass.UNKNOWN : store.classify(e);
    }

    private static boolean isOfAMessage(ErrorClass errorClass) {
        return errorClass == ErrorClass.MESSAGE || errorClass == ErrorClass.PERMANENT;
    }

    /** Whose failure is it? */
    private RunResult judge(
            Throwable e, @Nullable Envelope culprit, Duration duration, InboxTransaction<C> transaction) {
        Interrupts.requireNotEnding(intake.group().size(), e);
        if (e instanceof VirtualMachineError fatal && !isOfApplication(e)) {
            throw fatal;
        }
        if (e instanceof ConfigurationException fault && e != thrown) {
            throw fault;
        }
        if (e instanceof HandlerTimeoutException) {
            // The database may have ended the transaction long ago; whatever else is met on the way is no reason.
            Failure failure = new Failure(e, ErrorClass.MESSAGE, duration);
            return culprit != null ? new RunResult.Culprit(culprit, failure) : new RunResult.Unattributed(failure);
        }
        ErrorClass errorClass = store.classify(e);
        if (errorClass == ErrorClass.UNKNOWN && e == thrown && transaction.hasLostConnection()) {
            errorClass = ErrorClass.UNAVAILABLE;
        }
        if (errorClass == ErrorClass.UNAVAILABLE && transaction.hasMetFullDisk(e)) {
            return ofIsolated(culprit, new Failure(e, errorClass, duration));
        }
        return switch (errorClass) {
            case RETRY_NOW, UNAVAILABLE ->
                new RunResult.Transient(culprit, new Failure(e, errorClass, duration), false);
            case ABORTED -> ofIsolated(culprit, new Failure(e, ErrorClass.MESSAGE, duration));
            case MESSAGE, PERMANENT, UNKNOWN ->
                culprit != null
                        ? new RunResult.Culprit(culprit, new Failure(e, errorClass, duration))
                        : new RunResult.Unattributed(new Failure(e, errorClass, duration));
        };
    }

    /** Among others nobody knows whether it is this message's: it may be met by whoever writes next. */
    private RunResult ofIsolated(@Nullable Envelope culprit, Failure failure) {
        return plan.isolated() && culprit != null
                ? new RunResult.Culprit(culprit, failure)
                : new RunResult.Unattributed(failure);
    }

    /** Whether it came out of the application's code, or of what that code made the store write. */
    private boolean isOfApplication(Throwable e) {
        return e == thrown || e instanceof StackOverflowError || e instanceof OutOfMemoryError;
    }

    private boolean hasTakenLong(Duration duration) {
        return duration.compareTo(settings.handlerTimeout()) >= 0;
    }

    private static Duration since(long started) {
        return Duration.ofNanos(System.nanoTime() - started);
    }
}
