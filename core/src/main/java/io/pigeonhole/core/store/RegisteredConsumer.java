package io.pigeonhole.core.store;

import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;

/**
 * A consumer as the database remembers it.
 *
 * @param id the small number that stands for it in every row
 * @param name its logical name
 * @param keys how its ids become keys
 * @param order whether the messages of a key keep their order
 * @param lanes into how many lanes its unfinished messages are split
 */
public record RegisteredConsumer(short id, String name, KeyScheme keys, KeyOrder order, int lanes) {
    /**
     * The lane of a message: that of its ordering key, or of its message key where it has none.
     *
     * @param message the message
     * @param key its message key
     * @return from 0 to {@link #lanes} - 1, the same for ever
     */
    public int laneOf(Message message, MessageKey key) {
        byte[] orderingKey = message.orderingKey();
        return OrderingKey.lane(orderingKey == null ? key.toBytes() : orderingKey, lanes);
    }

    /**
     * Whether a message must not overtake others.
     *
     * @param message the message
     * @return true if it has an ordering key and this consumer keeps the order
     */
    public boolean keepsOrderOf(Message message) {
        return order.isKept() && message.orderingKey() != null;
    }
}
