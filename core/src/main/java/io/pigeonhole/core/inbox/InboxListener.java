package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.Message;
import java.time.Duration;

/**
 * Listens to what an inbox does. It is called on the thread that works on the batch, after the commit and before the
 * acknowledgement; a crash in between loses the call, and the redelivery is reported as a duplicate. It should return quickly.
 * What it throws is logged and changes nothing. Must be safe for use by many threads.
 */
public interface InboxListener {
    /**
     * One delivery has its outcome.
     *
     * @param consumer the inbox's consumer
     * @param message the message
     * @param outcome what became of it
     */
    default void onOutcome(String consumer, Message message, Outcome outcome) {}

    /**
     * A transaction was rolled back and its messages are tried again, some or all of them, at once. No attempt is counted.
     *
     * @param consumer the inbox's consumer
     * @param messages how many messages the transaction held
     * @param cause what made it fail
     */
    default void onRollback(String consumer, int messages, Throwable cause) {}

    /**
     * A message was to be finished under a lease that is not the newest any more: what its handler wanted to write was
     * refused. Somebody else has the message, or has finished it.
     *
     * @param consumer the inbox's consumer
     * @param message the message
     */
    default void onLeaseLost(String consumer, Message message) {}

    /**
     * A batch has been in work for longer than {@link InboxBuilder#slowBatch}, and goes on. Called once for each, on a thread of
     * the node.
     *
     * @param consumer the inbox's consumer
     * @param inWork for how long
     */
    default void onSlowBatch(String consumer, Duration inWork) {}
}
