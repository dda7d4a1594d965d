package io.pigeonhole.core.store;

import java.util.List;

/** The optional record of finished messages. */
public interface History {
    /**
     * Records messages that this transaction finishes.
     *
     * @param consumer whose messages
     * @param messages the messages, maybe none
     */
    void record(RegisteredConsumer consumer, List<FinishedMessage> messages);
}
