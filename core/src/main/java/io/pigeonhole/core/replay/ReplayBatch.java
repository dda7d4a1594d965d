package io.pigeonhole.core.replay;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPage;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.SkippedMessage;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The messages that one transaction brings through the handler of a run. Used once, by one thread. */
final class ReplayBatch<C extends HandlerContext> {
    private final InboxTransaction<C> transaction;
    private final ReplayProgress run;
    private final ReplaySettings settings;
    private final Handler<Message, C> handler;
    private final RegisteredConsumer scope;
    private ReplayPage page;
    private long position;
    private int done;
    private int skipped;
    private boolean interrupted;
    private boolean atMessages;
    private @Nullable Throwable thrown;
    private @Nullable HistoryEntry culprit;

    ReplayBatch(
            InboxTransaction<C> transaction, ReplayProgress run, ReplaySettings settings, Handler<Message, C> handler) {
        this.transaction = transaction;
        this.run = run;
        this.settings = settings;
        this.handler = handler;
        this.scope = scope(run);
        this.position = run.position();
        this.page = new ReplayPage(List.of(), position, false);
    }

    /**
     * Keys for other systems are derived from the run as well: what a message did there before must not pass for what it does
     * now. No consumer can have such a name, since no database takes NUL.
     */
    private static RegisteredConsumer scope(ReplayProgress run) {
        RegisteredConsumer consumer = run.consumer();
        return new RegisteredConsumer(
                consumer.id(),
                consumer.name() + "\0replay\0" + run.plan().name(),
                consumer.keys(),
                consumer.order(),
                consumer.workPartitions(),
                consumer.deduplication());
    }

    void read(int limit) {
        page = transaction.replay().read(run, limit);
    }

    /** The message that met what all failed with; null where only a transaction of its own can find out. */
    @Nullable
    HistoryEntry culprit() {
        boolean alone = culprit == null && page.entries().size() == 1;
        return alone ? page.entries().get(0) : culprit;
    }

    boolean hasMetFullDisk(Throwable failure) {
        return transaction.hasMetFullDisk(failure);
    }

    /** Everything, or whatever a handler threw. */
    ReplayProgress together() throws Throwable {
        atMessages = true;
        long used = System.nanoTime();
        for (HistoryEntry entry : page.entries()) {
            handle(entry);
            done++;
            if (System.nanoTime() - used >= settings.handlerTimeout().toNanos() / 4) {
                use();
                used = System.nanoTime();
            }
        }
        flush();
        return passed();
    }

    /** The database ends a transaction that nobody has used for as long as a handler may take. */
    private void use() {
        flush();
        transaction.savepoint();
    }

    /** Each message under a savepoint. Throws what is no message's own failure. */
    ReplayProgress isolated(
            Function<Throwable, ErrorClass> classes, Function<HistoryEntry, @Nullable Throwable> failing)
            throws Throwable {
        for (HistoryEntry entry : page.entries()) {
            Throwable failure = failing.apply(entry);
            if (failure == null) {
                failure = attempt(entry, classes);
            }
            if (failure == null) {
                done++;
            } else if (settings.onFailure() == OnFailure.STOP) {
                return moved(ReplayState.FAILED, describe(entry, failure));
            } else {
                atMessages = false;
                transaction.replay().skip(run, new SkippedMessage(entry.place(), entry.key(), describe(failure)));
                skipped++;
            }
            position = entry.place();
        }
        return passed();
    }

    /** What the message failed with, or null. */
    private @Nullable Throwable attempt(HistoryEntry entry, Function<Throwable, ErrorClass> classes) throws Throwable {
        atMessages = false;
        transaction.savepoint();
        atMessages = true;
        long started = System.nanoTime();
        try {
            handle(entry);
            flush();
            transaction.checkConstraints();
            return null;
        } catch (Throwable e) {
            if (e instanceof VirtualMachineError && !isOfHandler(e)) {
                throw e;
            }
            ErrorClass errorClass = classes.apply(e);
            if (errorClass == ErrorClass.RETRY_NOW || errorClass == ErrorClass.UNAVAILABLE) {
                culprit = entry;
                throw e;
            }
            rollBack(entry, e, System.nanoTime() - started);
            return e;
        }
    }

    /**
     * Where the connection ends with what a message defers, or while it is away for longer than it may, that is what the batch fails with,
     * and not the way back.
     */
    private void rollBack(HistoryEntry entry, Throwable failure, long nanos) throws Throwable {
        try {
            transaction.rollbackToSavepoint();
        } catch (StoreException lost) {
            culprit = entry;
            if (failure instanceof DeferredWriteException
                    || nanos >= settings.handlerTimeout().toNanos()) {
                failure.addSuppressed(lost);
                throw failure;
            }
            throw lost;
        }
    }

    /** What is refused now is what the messages have written. */
    void commit() {
        atMessages = true;
        transaction.commit();
    }

    /** What is deferred may run code of the application as well, to read what it sends. */
    private void flush() {
        try {
            transaction.flush();
        } finally {
            interrupted |= Thread.interrupted();
        }
    }

    private void handle(HistoryEntry entry) throws Exception {
        try {
            handler.handle(entry.message(), transaction.context(scope, entry.key(), entry.message(), 1));
        } catch (Throwable e) {
            thrown = e;
            interrupted |= Thread.interrupted();
            try {
                transaction.endContexts();
            } catch (RuntimeException left) {
                if (left != e) {
                    e.addSuppressed(left);
                }
            }
            throw e;
        } finally {
            interrupted |= Thread.interrupted();
        }
        transaction.endContexts();
        transaction.handlerReturned();
    }

    /** Whether the handler threw it, and not the store. */
    boolean isOfHandler(Throwable failure) {
        return failure == thrown;
    }

    /** Whether it was at what the messages do when it failed, and not at a statement of the run's own. */
    boolean wasAtMessages() {
        return atMessages;
    }

    /** Whether a handler was interrupted, or left an interrupt behind, which is cleared. */
    boolean wasInterrupted() {
        return interrupted;
    }

    private ReplayProgress passed() {
        position = page.scanned();
        if (!page.last()) {
            return moved(ReplayState.RUNNING, null);
        }
        long missing = run.left().orElse(0) - done - skipped;
        return missing > 0 ? moved(ReplayState.FAILED, describe(missing)) : moved(ReplayState.FINISHED, null);
    }

    private ReplayProgress moved(ReplayState state, @Nullable String error) {
        atMessages = false;
        transaction.replay().move(run, position, done, skipped, state, error);
        return new ReplayProgress(
                run.consumer(),
                run.plan(),
                state,
                run.cutoff(),
                position,
                run.total(),
                run.withoutPayload(),
                run.done() + done,
                run.skipped() + skipped,
                error,
                run.who(),
                run.reason(),
                run.createdAt(),
                run.updatedAt());
    }

    private String describe(long missing) {
        return missing + " of its " + run.total()
                + " messages are not in the history any more, because somebody dropped their"
                + " day or deleted them while it ran; the others are done. Put them back and make a replay with another"
                + " name, or cancel this one";
    }

    private static String describe(HistoryEntry entry, Throwable failure) {
        return FailureText.bounded("at place " + entry.place() + ", " + entry.message() + ": " + describe(failure));
    }

    private static String describe(Throwable failure) {
        return FailureText.describeWithCause(failure);
    }
}
