package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * The ordering keys whose messages must stay behind others, as far as one transaction knows: those that had unfinished messages
 * before, and those of messages that it keeps itself. Used by one thread.
 */
final class BlockedKeys {
    private final RegisteredConsumer consumer;
    private final Set<OrderingKey> keys = new HashSet<>();

    BlockedKeys(RegisteredConsumer consumer) {
        this.consumer = consumer;
    }

    /** Messages of these keys must stay behind others. */
    void addAll(Collection<OrderingKey> blocked) {
        keys.addAll(blocked);
    }

    /** Messages of this one's key must stay behind it. */
    void addKeyOf(Message message) {
        OrderingKey key = OrderingKey.of(message);
        if (key != null && consumer.order().isKept()) {
            keys.add(key);
        }
    }

    /** Whether the message must stay behind another. */
    boolean contains(Message message) {
        if (keys.isEmpty() || !consumer.keepsOrderOf(message)) {
            return false;
        }
        OrderingKey key = OrderingKey.of(message);
        return key != null && keys.contains(key);
    }

    void clear() {
        keys.clear();
    }
}
