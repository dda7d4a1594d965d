package io.pigeonhole.core.store;

import io.pigeonhole.core.message.MessageKey;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The messages that were given up on. */
public interface DeadLetters {
    /**
     * Buries messages, in the order of the list. One that is there already stays as it is, and counts as seen again. One
     * that is {@linkplain DeadLetter#item in work} is moved from there, with its place in the order of arrival.
     *
     * @param consumer whose messages
     * @param letters the messages, maybe none
     */
    void deadLetter(RegisteredConsumer consumer, List<DeadLetter> letters);

    /**
     * Counts another delivery of messages, as far as they are dead letters.
     *
     * @param consumer whose messages
     * @param keys distinct, at least one
     * @return the keys of the dead letters among them
     */
    Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys);

    /**
     * Moves dead letters whose keys the ledger has back to work, due at once, each in its old place in the order of
     * arrival, with a new beginning for its retry policy. Others stay.
     *
     * @param consumer whose messages
     * @param keys distinct, at least one
     * @return the keys of those that were moved
     */
    Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys);
}
