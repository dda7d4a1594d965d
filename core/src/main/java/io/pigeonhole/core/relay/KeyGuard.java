package io.pigeonhole.core.relay;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Keeps messages behind those of their key that were refused. Locks the work partition, where an order is kept, before it asks and before
 * something is stored; once. Used by one thread.
 */
final class KeyGuard {
    /** Those who administer the same messages hold the lock for a moment. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final InboxTransaction<?> transaction;
    private final RegisteredConsumer consumer;
    private final int workPartition;
    private boolean locked;

    KeyGuard(InboxTransaction<?> transaction, RegisteredConsumer consumer, int workPartition) {
        this.transaction = transaction;
        this.consumer = consumer;
        this.workPartition = workPartition;
    }

    /** Which keys of some messages are blocked. */
    Set<OrderingKey> blocked(List<AppendedMessage> messages) {
        if (!consumer.order().isKept()) {
            return Set.of();
        }
        Set<OrderingKey> keys = messages.stream()
                .map(message -> OrderingKey.of(message.message()))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        if (keys.isEmpty()) {
            return Set.of();
        }
        lock();
        return transaction.blocked(consumer, keys);
    }

    /** Before messages of the work partition are stored. */
    void lock() {
        if (!locked && consumer.order().isKept()) {
            transaction.lock(consumer, List.of(workPartition), TIMEOUT);
            locked = true;
        }
    }
}
