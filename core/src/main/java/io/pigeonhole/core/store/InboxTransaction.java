package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One transaction of the engine. Used by one thread. A crash at any point before {@link #commit} has reached the database
 * leaves nothing of it; afterwards all of it.
 *
 * <p>Errors of the database come as {@link StoreException}; {@link Transactions#classify} says what they mean.
 *
 * @param <C> the context that handlers get
 */
public interface InboxTransaction<C extends HandlerContext>
        extends KeyGate, WorkQueue, OutboxQueue, Leases, DeadLetters, History, Watermarks, AutoCloseable {
    /**
     * Claims keys for a consumer: of all transactions that ever claim a key, one gets it. Waits while another transaction
     * that claimed one of them is open.
     *
     * @param consumer whose ledger
     * @param keys distinct, in ascending order, at least one
     * @param hashes the hashes of their payloads, in the same order, to be kept with them; empty where none are
     * @param timeout how long to wait for another transaction; it holds for this call only
     * @return which were claimed, and the ledger's bounds at that moment
     * @throws ClaimBlockedException if another transaction still held one of the keys after {@code timeout}: the
     *     transaction must then be rolled back, to the savepoint at least
     * @throws ConsumerPausedException if the consumer is paused: nothing was claimed, the transaction must be rolled back
     */
    Claim claim(RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout);

    /**
     * Claims keys without keeping hashes of their payloads.
     *
     * @param consumer whose ledger
     * @param keys distinct, in ascending order, at least one
     * @param timeout how long to wait for another transaction; it holds for this call only
     * @return which were claimed, and the ledger's bounds at that moment
     * @throws ClaimBlockedException as the other form does
     * @throws ConsumerPausedException as the other form does
     */
    default Claim claim(RegisteredConsumer consumer, List<MessageKey> keys, Duration timeout) {
        return claim(consumer, keys, List.of(), timeout);
    }

    /**
     * Which of these keys came with another payload before. Where the ledger has a hash for a key, that decides. Where it has
     * none (the key was claimed without one, or never, or its day is gone), the payloads in work and among the dead letters
     * are compared. Keys that none of the three has are not among the answers, nor are those of dead letters whose bytes were
     * not stored ({@link DeadReason#BYTES_NOT_STORED}).
     *
     * @param consumer whose messages
     * @param hashes the hashes of the payloads that came now, by key, at least one
     * @return the keys that the ledger has with another hash, or that work or the dead letters have with another payload only
     */
    Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes);

    /**
     * Which of these keys are in work or in the dead letters.
     *
     * @param consumer whose messages
     * @param keys distinct, at least one
     * @return the known ones
     */
    Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys);

    /**
     * The context for one message's handler.
     *
     * @param consumer who handles it
     * @param key the message's key
     * @param message the message
     * @param attempt which attempt this is, from 1
     * @return a new context, valid until {@link #endContexts}
     */
    C context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt);

    /**
     * Ends all contexts that were handed out since the last call, because their handler has returned or thrown. From now on
     * every write through them, and through what they gave out, fails with {@link IllegalStateException} and touches
     * nothing, whatever thread tries it. What they deferred stays. A call that a thread is in the middle of is cancelled and
     * waited for.
     *
     * @throws IllegalStateException if there was such a call: nobody knows what it has done, so the handler has failed
     * @throws StoreException if there was one that could not be cancelled: the connection is given up; or if a deferred write
     *     failed when a handler asked for the connection: nothing that the handler did or threw since then counts
     */
    void endContexts();

    /**
     * Ends the work of a handler that threw nothing, behind {@link #endContexts}. What a framework holds back of it is sent, so that
     * it goes before what the next handler does, and what the database refuses of it is this handler's failure.
     *
     * @throws StoreException if the database refused it; or if the connection is lost, which the handler has hidden then
     */
    default void handlerReturned() {}

    /**
     * What this transaction does for a run over the history.
     *
     * @return steps that are a part of this transaction
     */
    ReplaySteps replay();

    /**
     * Sends the deferred writes of all contexts, in the order that keeps each ordering key's writes in sequence.
     *
     * @throws DeferredWriteException if a write failed and its message is known
     * @throws StoreException if a write failed and it is not known whose it was
     */
    void flush();

    /**
     * Sets the one savepoint. Where there was one before, it is released in the same round trip: proof that no statement since
     * then has failed unseen.
     */
    void savepoint();

    /** Undoes what was done since the savepoint, deferred writes included; the savepoint stays. */
    void rollbackToSavepoint();

    /**
     * Asks the database to check now what it would check only at commit, so that a failure can be attributed to its message.
     * Leaves the moment of later checks as it was.
     */
    void checkConstraints();

    /**
     * Whether something failed because a statement of this transaction, be it the engine's, a handler's or a deferred one, has found
     * the disk full, or not to be written. Then it may be no message's fault, although other tables take writes. What comes from
     * another database is no such failure. May be asked after {@link #close}.
     *
     * @param failure what a handler or this store threw; its causes are looked at too
     * @return true if so
     */
    boolean hasMetFullDisk(Throwable failure);

    /**
     * Whether the connection is known to be lost. Then an error of a handler that does not say what it means is no failure of its
     * message: a pool may answer so for a connection that it has closed.
     *
     * @return true if it is of no use any more, and the transaction has not come to its end
     */
    default boolean hasLostConnection() {
        return false;
    }

    /**
     * Whether it is given up because nobody has used it for too long, although its connection is there. Where the database ends it by
     * itself, the connection is lost.
     *
     * @return true if it cannot go on for that reason
     */
    default boolean hasTimedOut() {
        return false;
    }

    /**
     * Whether a handler has met an error of the database on its connection since the savepoint, or since the beginning. It may have
     * hidden it, and the next handler meet what it has done to the transaction.
     *
     * @return true if one has, as far as is known
     */
    default boolean hasMetError() {
        return false;
    }

    /**
     * Ends the transaction for good while its own thread hangs in a call of the application, from which it may never return: what it has
     * locked is free, and its connection goes back to the pool, as far as the driver can end one. Whatever the thread still does with
     * it fails, but for {@link #close}. May be called by any thread, where no other method is running or called but by that call of the
     * application. Returns at once, does not throw, and does nothing unless the store overrides it.
     */
    default void abort() {}

    /**
     * Commits, after proof in the same round trip that no statement has failed unseen and that nobody else ended the
     * transaction.
     *
     * @throws StoreException if it is certain that the transaction was rolled back
     * @throws io.pigeonhole.core.failure.OutcomeUnknownException if the connection was lost on the way
     */
    void commit();

    /** Rolls back unless committed, and gives the connection back. Does not throw. */
    @Override
    void close();
}
