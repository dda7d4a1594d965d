package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.store.Ledger;

/**
 * A store under test whose transactions begin and end in some way, such as a framework's. {@link StoreFixture#write} writes through
 * the framework, past the context; {@link StoreFixture#defer} leaves a write with the framework, which holds it back as long as it can,
 * as a persistence context does. Without a framework both go through the context. {@link StoreFixture#begin} begins a transaction on a
 * connection that no framework knows of.
 *
 * @param <C> the context that the store hands to handlers
 */
public interface TransactionsFixture<C extends HandlerContext> extends StoreFixture<C> {
    /**
     * Whether a thread is in a transaction that others can find and join.
     *
     * @return false where a transaction is known only to those who have its connection
     */
    boolean bindsThreads();

    /**
     * Writes an effect by a deferred write of the handler's context.
     *
     * @param context the handler's context
     * @param effect a short text
     */
    void deferByContext(C context, String effect);

    /**
     * Goes back to a savepoint that is set on the context's connection before something runs.
     *
     * @param context the handler's context
     * @param undone what to undo
     */
    void undo(C context, Runnable undone);

    /**
     * Begins a transaction of the application's own, which the framework binds to the calling thread. Only where
     * {@link #bindsThreads}.
     *
     * @return the transaction
     */
    CallersTransaction beginBound();

    /**
     * Leaves a write with the framework that the database is going to refuse.
     *
     * @param context the handler's context
     */
    void deferBroken(C context);

    /**
     * Makes it impossible to commit the handler's transaction, without an exception: marks it for rollback only, where a framework can.
     *
     * @param context the handler's context
     */
    void allowOnlyRollback(C context);

    /**
     * Makes the framework throw something of its own once it has committed the transaction that the calling thread is in, with an error
     * among the causes that would have been the failure of a message before. Only where {@link #bindsThreads}.
     */
    void failBehindCommit();

    /**
     * Asks the transaction that the calling thread is in to run something after its commit. Only where {@link #bindsThreads}.
     *
     * @param action what to run
     */
    void afterCommit(Runnable action);

    /**
     * The ledger in the transaction that the calling thread is in.
     *
     * @return the ledger
     * @throws IllegalStateException if the thread is in none, or the store cannot know
     */
    Ledger joinedLedger();

    /**
     * The outbox in the transaction that the calling thread is in.
     *
     * @return the outbox
     */
    Outbox joinedOutbox();

    /**
     * Runs something behind the commit of the transaction that the calling thread is in, while the framework still has the thread in it.
     *
     * @param callback what to run
     */
    void behindCommit(Runnable callback);

    /**
     * Writes an effect in the transaction that the calling thread is in, by a deferred write of the store.
     *
     * @param effect a short text
     * @throws IllegalStateException if the thread is in none, or the store cannot know
     */
    void deferJoined(String effect);

    /**
     * The effects that the transaction sees which the calling thread is in. Only where {@link #bindsThreads}.
     *
     * @return how many there are
     */
    int effectsInTransaction();
}
