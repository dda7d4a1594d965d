package io.pigeonhole.core.store;

import java.util.List;

/** The messages that are accepted but unfinished. */
public interface WorkQueue {
    /**
     * Parks messages that failed at their first attempt, each with its attempt, in the order of the list. Their keys must
     * be claimed in the same transaction.
     *
     * @param consumer whose messages
     * @param messages the messages, maybe none
     */
    void park(RegisteredConsumer consumer, List<ParkedMessage> messages);

    /**
     * Stores messages that no handler has seen, in the order of the list. Their keys must be claimed in the same
     * transaction.
     *
     * @param consumer whose messages
     * @param messages the messages, maybe none
     */
    void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages);

    /**
     * Enters a work partition as a worker, before it takes or leases anything there: one transaction at a time is in it, until it
     * ends. Those that store messages are not kept out. Where the consumer is paused, there is nothing to take or to lease.
     *
     * @param consumer whose work partition
     * @param workPartition the work partition
     * @return false, at once, if another transaction is in it
     */
    boolean enter(RegisteredConsumer consumer, int workPartition);

    /**
     * Takes messages that are due and need no lease; they are this transaction's until it ends, and nobody waits for them.
     * Without an order, the oldest due. With an order ({@link #enter} first), of each key the messages from its head on, as
     * far as they are due, in the order of arrival: none whose key is blocked by a message that waits, is leased or needs a
     * lease, or by a dead letter that blocks. None where the consumer is paused.
     *
     * @param consumer whose messages
     * @param workPartition of which work partition
     * @param limit how many at most
     * @param bytes how many bytes their payloads and headers may have together; where the first one has more, it is taken
     *     alone
     * @return the messages in the order in which they are to be worked on
     */
    List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit, long bytes);

    /**
     * Takes messages whatever their size.
     *
     * @param consumer whose messages
     * @param workPartition of which work partition
     * @param limit how many at most
     * @return as the other form does
     */
    default List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit) {
        return take(consumer, workPartition, limit, Long.MAX_VALUE);
    }

    /**
     * Takes messages again that an earlier transaction had taken and then rolled back, due or not.
     *
     * @param consumer whose messages
     * @param ids their places in the order of arrival, at least one
     * @return those that are still in work, neither leased nor taken by anybody else, in the order of their ids. With an
     *     order they are still the first of their keys, because nobody but a worker that has {@linkplain #enter entered}
     *     the work partition takes any
     */
    List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids);

    /**
     * Keeps messages that failed again, each with its attempt. Ends their leases.
     *
     * @param consumer whose messages
     * @param items the messages, taken or {@linkplain Leases#hold held} in this transaction, maybe none
     * @throws RuntimeException here or at the commit, if one of them is finished already or its token is not the newest
     */
    void postpone(RegisteredConsumer consumer, List<PostponedItem> items);

    /**
     * Says that messages may only be worked on under a lease from now on.
     *
     * @param consumer whose messages
     * @param items the messages, taken in this transaction, maybe none
     */
    void requireLease(RegisteredConsumer consumer, List<WorkItem> items);

    /**
     * Takes finished messages out of work.
     *
     * @param consumer whose messages
     * @param items the messages, taken or {@linkplain Leases#hold held} in this transaction, maybe none
     * @throws RuntimeException here or at the commit, if one of them is finished already or its token is not the newest
     */
    void finish(RegisteredConsumer consumer, List<WorkItem> items);
}
