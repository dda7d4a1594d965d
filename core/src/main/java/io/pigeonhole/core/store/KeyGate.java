package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.message.OrderingKey;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Keeps messages of one ordering key in their order. */
public interface KeyGate {
    /**
     * Locks work partitions against others that store or process messages of their keys, until this transaction ends. Comes before
     * the claim and before {@link #blocked}: asked without the lock, or in one statement with it, the answer could be old.
     *
     * @param consumer whose work partitions
     * @param workPartitions distinct, in ascending order, at least one
     * @param timeout how long to wait for another transaction; it holds for this call only
     * @throws ClaimBlockedException if another transaction still held one of them after {@code timeout}: this transaction
     *     must then be rolled back, to the savepoint at least
     */
    void lock(RegisteredConsumer consumer, List<Integer> workPartitions, Duration timeout);

    /**
     * Which of these keys have messages in work, or a dead letter that blocks.
     *
     * @param consumer whose messages
     * @param keys distinct, at least one, of {@linkplain #lock locked} work partitions
     * @return the keys that new messages must stay behind
     */
    Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys);
}
