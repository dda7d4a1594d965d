package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A database as requests with idempotency keys need it. Safe for use by many threads.
 *
 * @param <C> the context that handlers get
 */
public interface IdempotencyStore<C extends HandlerContext> {
    /**
     * Registers the name under which requests are kept, once for all nodes.
     *
     * @param name the same at every node, at most 200 characters; no inbox may have it
     * @return what stands for it in every row
     */
    RegisteredConsumer register(String name);

    /**
     * Begins a transaction: read committed, writable and durable, on the primary.
     *
     * @param idleLimit how long it may be idle before the database ends it, and how long a statement of a handler may take
     * @return the transaction, to be closed by the caller
     * @throws io.pigeonhole.core.failure.NoConnectionException if there is no connection: the database is away, or the pool used up
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if the database cannot be used
     */
    IdempotencyTransaction<C> begin(Duration idleLimit);

    /**
     * What an error means that a handler or this store threw.
     *
     * @param failure the error; its causes are looked at too
     * @return the class of the error
     */
    ErrorClass classify(Throwable failure);

    /**
     * Deletes requests whose retention is over. One that is in work in steps is deleted when its retention and its lease have been over
     * for so long that nobody comes back for it. Many nodes may call it at once; what somebody else has locked is left for later.
     *
     * @param consumer whose requests
     * @param unfinished how long the retention and the lease of an unfinished request in steps have to be over
     * @param limit how many at most
     * @return how many were deleted; call again while it is {@code limit}
     */
    int purge(RegisteredConsumer consumer, Duration unfinished, int limit);

    /**
     * Requests in work under leases that have run out and that nobody has come back for.
     *
     * @param consumer whose requests
     * @param operations what they do, at least one
     * @param idle how long ago the lease has run out at least
     * @param limit how many at most
     * @return those that wait longest first; nothing is locked, and somebody else may take them meanwhile
     */
    List<AbandonedRequest> abandoned(
            RegisteredConsumer consumer, Collection<String> operations, Duration idle, int limit);

    /**
     * Looks for a request.
     *
     * @param consumer whose requests
     * @param identity which one
     * @return what is stored of it; empty where nothing is committed
     */
    Optional<RequestDetails> find(RegisteredConsumer consumer, RequestIdentity identity);

    /**
     * Forgets a request, so that the next one with its key is handled as a new one. Noted in the audit in the same transaction.
     *
     * @param consumer whose requests
     * @param identity which one
     * @param by who, and why
     * @return {@link Answer.Kind#DONE}, {@link Answer.Kind#NOT_FOUND}, {@link Answer.Kind#LEASED} while it is in work, or {@link
     *     Answer.Kind#BUSY}
     */
    Answer forget(RegisteredConsumer consumer, RequestIdentity identity, Author by);
}
