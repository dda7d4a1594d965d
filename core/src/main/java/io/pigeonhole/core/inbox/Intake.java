package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.InboxTransaction;
import java.util.List;

/** How messages come into a transaction: as deliveries that are claimed, as work that is taken, under a lease. */
interface Intake<C extends HandlerContext> {
    /**
     * Comes first in a transaction: makes the messages the transaction's own, decides about those that no handler has to
     * run for, and hands the others to the dispatcher. Called again when the transaction was rolled back.
     *
     * @throws io.pigeonhole.core.failure.ClaimBlockedException if a transaction elsewhere holds one of them
     * @throws io.pigeonhole.core.failure.StoreException if the database refused
     */
    void admit(InboxTransaction<C> transaction, Dispatcher<C> dispatcher);

    /**
     * Comes last before the commit: what is decided about the messages is written.
     *
     * @throws io.pigeonhole.core.failure.StoreException if the database refused
     */
    default void depart(InboxTransaction<C> transaction) {}

    /** The messages in their order; none before the first {@link #admit} has found them. */
    List<Envelope> group();

    /** Some of the messages, for a transaction of their own. */
    Intake<C> part(List<Envelope> part);
}
