package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.handler.HandlerContext;
import java.time.Duration;

/**
 * Begins transactions and knows what their errors mean.
 *
 * @param <C> the context that handlers get
 */
public interface Transactions<C extends HandlerContext> {
    /**
     * Begins a transaction: read committed, whatever the pool's default is, writable and durable.
     *
     * @param idleLimit how long the transaction may be idle before the database ends it, so that a process that was
     *     stopped loses its locks and cannot commit
     * @return the transaction, to be closed by the caller
     * @throws io.pigeonhole.core.failure.NoConnectionException if there is no connection: the database is away, or the pool used up
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if the database cannot be used
     */
    InboxTransaction<C> begin(Duration idleLimit);

    /**
     * What an error means that a handler or this store threw.
     *
     * @param failure the error; its causes are looked at too
     * @return the class of the error
     */
    ErrorClass classify(Throwable failure);

    /**
     * Whether the database can be used now, asked with a connection of its own.
     *
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if it cannot
     */
    void probe();
}
