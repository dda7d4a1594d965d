package io.pigeonhole.core.store;

import java.util.List;

/** The messages that are accepted but unfinished. */
public interface WorkQueue {
    /**
     * Parks messages that failed, each with its attempt, in the order of the list. Their keys must be claimed in the same
     * transaction.
     *
     * @param consumer whose messages
     * @param messages the messages, maybe none
     */
    void park(RegisteredConsumer consumer, List<ParkedMessage> messages);
}
