package io.pigeonhole.core.outbox;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Where messages to send are stored, in a transaction that is open: they are published after its commit, at least once, and not at
 * all where it is rolled back. A crash before the commit leaves nothing of them; behind it they are in the table, and a {@link
 * io.pigeonhole.core.relay.Relay} of any node publishes them. For the thread that the transaction belongs to.
 */
public interface Outbox {
    /**
     * Into how many work partitions the messages of a destination are split. Stored with each, so it never changes. With fewer of them
     * there are more messages in a batch of one, and more keys that can be published at the same time.
     */
    int WORK_PARTITIONS = 4;

    /** What the names of consumers begin with that stand for relays; the destination follows. No inbox can have such a name. */
    String CONSUMER_PREFIX = "outbox.";

    /**
     * Appends a message. In a handler it is sent to the database at the latest before the commit, together with others; in a
     * transaction that somebody else commits, at once.
     *
     * @param message the message
     * @return its id, a UUIDv7 that is made here and stays the same however often the message is published
     * @throws IllegalStateException if the transaction or the handler has ended
     * @throws io.pigeonhole.core.failure.ConfigurationException if there is no transaction, or one that is read-only
     * @throws io.pigeonhole.core.failure.StoreException if it is sent at once, and the database refuses
     */
    UUID append(OutboxMessage message);

    /**
     * Appends messages, in the order of the list.
     *
     * @param messages the messages, maybe none
     * @return their ids, in the same order
     * @throws IllegalStateException as {@link #append} does
     * @throws io.pigeonhole.core.failure.ConfigurationException as {@link #append} does
     * @throws io.pigeonhole.core.failure.StoreException as {@link #append} does; then none may be committed
     */
    default List<UUID> appendAll(List<OutboxMessage> messages) {
        List<UUID> ids = new ArrayList<>(messages.size());
        messages.forEach(message -> ids.add(append(message)));
        return ids;
    }
}
