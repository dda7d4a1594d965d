package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One transaction in which a request is handled. Used by one thread. A crash before {@link #commit} has reached the database leaves
 * nothing of it, the key neither; afterwards all of it.
 *
 * <p>Errors of the database come as {@link StoreException}; {@link IdempotencyStore#classify} says what they mean.
 *
 * @param <C> the context that handlers get
 */
public interface IdempotencyTransaction<C extends HandlerContext> extends AutoCloseable {
    /**
     * A lease that comes with a claim: the claim is committed before the work is done, so that the work can be gone on with.
     *
     * @param owner the node that does it
     * @param duration how long from now, by the database's clock
     * @param token its fencing token, not 0, which no other lease of the key has ever had
     */
    record Lease(String owner, Duration duration, long token) {}

    /**
     * Claims the key of a request: of all transactions that claim it, one gets it, until its retention is over. It waits for none
     * of them. A request whose retention is over is replaced, unless it is in work in steps.
     *
     * @param consumer under whose name requests are kept
     * @param request the request
     * @param retention how long the key is remembered from now, by the database's clock
     * @param lease null where this transaction does all of the work
     * @return empty where the key was claimed, else the request that has it
     * @throws ClaimBlockedException if another transaction holds it: this one must be rolled back
     */
    Optional<KnownRequest> claim(
            RegisteredConsumer consumer, IdempotentRequest request, Duration retention, @Nullable Lease lease);

    /**
     * Takes over the lease of a request whose own has run out, and reads the request then: whoever had the lease before can commit nothing
     * more of it.
     *
     * @param consumer under whose name requests are kept
     * @param key which request
     * @param token that of the lease that has run out
     * @param lease the new one
     * @return the request; empty if that lease is not the newest any more, or has not run out, or somebody else is at the row
     */
    Optional<LeasedRequest> takeOver(RegisteredConsumer consumer, MessageKey key, long token, Lease lease);

    /**
     * Holds a leased request until this transaction ends, so that nobody can take the lease away before, and prolongs the lease.
     *
     * @param consumer under whose name requests are kept
     * @param key which request
     * @param token that of the lease
     * @param duration how long from now the lease lasts
     * @return false if the lease has run out, or is not the newest any more: whoever has it must write nothing more
     */
    boolean hold(RegisteredConsumer consumer, MessageKey key, long token, Duration duration);

    /**
     * The context for the handler.
     *
     * @param consumer under whose name requests are kept
     * @param key which request
     * @param message the request as it came
     * @return a new context, valid until {@link #endHandler}
     */
    C context(RegisteredConsumer consumer, MessageKey key, Message message);

    /**
     * Ends the handler's work, which threw nothing: what it deferred is sent, and its context is of no use any more.
     *
     * @throws StoreException if the database refused something of it, or the handler has hidden an error
     */
    void endHandler();

    /** Sets the one savepoint, to which {@link #undoHandler} goes back. */
    void savepoint();

    /**
     * Undoes what the handler did, whether it has thrown or not.
     *
     * @throws StoreException if that is not possible
     */
    void undoHandler();

    /**
     * Stores the results of the steps so far, of a request with a lease that {@link #hold} has held.
     *
     * @param consumer under whose name requests are kept
     * @param key which request
     * @param steps all of them
     */
    void storeSteps(RegisteredConsumer consumer, MessageKey key, Headers steps);

    /**
     * Lets go of a lease that {@link #hold} has held, so that the next request with the key goes on at once.
     *
     * @param consumer under whose name requests are kept
     * @param key which request
     * @param pause after what time it begins to count as idle for {@link IdempotencyStore#abandoned}; null where it never does, and only
     *     the next request with the key goes on
     */
    void release(RegisteredConsumer consumer, MessageKey key, @Nullable Duration pause);

    /**
     * Forgets a request that {@link #hold} has held.
     *
     * @param consumer under whose name requests are kept
     * @param key which request
     */
    void forget(RegisteredConsumer consumer, MessageKey key);

    /**
     * Stores the response, with which the request is finished. Its body and the results of its steps are deleted.
     *
     * @param consumer under whose name requests are kept
     * @param key which request
     * @param response the response; its body is empty where it is not to be stored
     * @param bodyStored whether it has its body
     * @param atLeast how long from now the key is remembered at least, by the database's clock; 0 where its claim has said it
     */
    void finish(
            RegisteredConsumer consumer, MessageKey key, StoredResponse response, boolean bodyStored, Duration atLeast);

    /**
     * Commits, after proof that no statement has failed unseen and that nobody else ended the transaction.
     *
     * @throws StoreException if it is certain that the transaction was rolled back
     * @throws OutcomeUnknownException if the connection was lost on the way: the next request with the key will find out
     */
    void commit();

    /** Rolls back unless committed, and gives the connection back. Does not throw. */
    @Override
    void close();
}
