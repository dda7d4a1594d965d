package io.pigeonhole.core.store;

import java.time.Duration;
import java.util.List;

/** The right to work on a message outside a transaction, for a limited time. */
public interface Leases {
    /**
     * Leases messages that are due and need a lease: counts the attempt and raises the fencing token, before any handler
     * runs. With an order ({@link WorkQueue#enter} first), only messages that are the heads of their keys.
     * None where the consumer is paused.
     *
     * @param consumer whose messages
     * @param workPartition of which work partition
     * @param limit how many at most
     * @param owner the node that leases them
     * @param duration how long from now, by the database's clock, the leases last
     * @return the messages, leased once this transaction has committed
     */
    List<WorkItem> lease(RegisteredConsumer consumer, int workPartition, int limit, String owner, Duration duration);

    /**
     * Holds a leased message until this transaction ends, so that nobody can take the lease away before.
     *
     * @param consumer whose message
     * @param item the message as it was leased
     * @return false if the lease is not the newest any more: whoever has it must not finish the message
     */
    boolean hold(RegisteredConsumer consumer, WorkItem item);

    /**
     * Takes messages whose leases have run out. They are this transaction's until it ends.
     *
     * @param consumer whose messages
     * @param limit how many at most
     * @param bytes how many bytes their payloads and headers may have together; where the first one has more, it is taken
     *     alone
     * @return the messages, those whose leases ended first before the others
     */
    List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes);

    /**
     * Takes messages whose leases have run out, whatever their size.
     *
     * @param consumer whose messages
     * @param limit how many at most
     * @return as the other form does
     */
    default List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit) {
        return takeExpired(consumer, limit, Long.MAX_VALUE);
    }
}
