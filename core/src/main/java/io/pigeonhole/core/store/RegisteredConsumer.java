package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.LogPartition;
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
 * @param workPartitions into how many work partitions its unfinished messages are split
 * @param deduplication how it distinguishes accepted messages from new ones
 */
public record RegisteredConsumer(
        short id, String name, KeyScheme keys, KeyOrder order, int workPartitions, Deduplication deduplication) {
    /**
     * The longest ordering key in bytes where an order is kept: databases find what is before a message by it. What has a
     * longer one is a dead letter, with nothing before or behind it.
     */
    public static final int LONGEST_ORDERING_KEY = 1024;

    /**
     * The work partition of a message: that of its ordering key, or of its message key where it has none.
     *
     * @param message the message
     * @param key its message key
     * @return from 0 to {@link #workPartitions} - 1, the same for ever
     */
    public int workPartitionOf(Message message, MessageKey key) {
        byte[] orderingKey = message.orderingKey();
        return OrderingKey.partition(orderingKey == null ? key.toBytes() : orderingKey, workPartitions);
    }

    /**
     * The same consumer after somebody changed how it deduplicates.
     *
     * @param by how it does now
     * @return a copy
     */
    public RegisteredConsumer deduplicatingBy(Deduplication by) {
        return new RegisteredConsumer(id, name, keys, order, workPartitions, by);
    }

    /**
     * Checks that a consumer still, or already, deduplicates as a program says.
     *
     * @param stored how the database says that it does
     * @throws io.pigeonhole.core.failure.ConfigurationException if it is otherwise: the text names both and the way on
     */
    public void requireDeduplication(Deduplication stored) {
        if (stored != deduplication) {
            throw new ConfigurationException("consumer '" + name + "' deduplicates by " + stored + ", the program says "
                    + deduplication + ". Correct the program, or let an administrator pause the consumer and call"
                    + " Admin.deduplicateBy; docs/kafka.md says how to switch without a gap or a repeat");
        }
    }

    /**
     * Says that a stored position is that of another log.
     *
     * @param partition the partition
     * @param stored the identity of the log that the position is of
     * @param found the identity of the log that is there now
     * @return the exception to throw
     */
    public ConfigurationException otherLog(LogPartition partition, String stored, String found) {
        return new ConfigurationException(
                "consumer '" + name + "': the watermark of " + partition + " is a position in "
                        + stored + ", but now there is " + found
                        + ": the log was made anew, or this is another cluster, and the"
                        + " position says nothing about it. Nothing is taken. If the new log is to be taken from the beginning, or"
                        + " from its end, as the source is set, let an administrator call Admin.forgetWatermarks");
    }

    /**
     * Whether a message must not overtake others.
     *
     * @param message the message
     * @return true if it has an ordering key that is not too long, and this consumer keeps the order
     */
    public boolean keepsOrderOf(Message message) {
        byte[] key = message.orderingKey();
        return order.isKept() && key != null && key.length <= LONGEST_ORDERING_KEY;
    }
}
