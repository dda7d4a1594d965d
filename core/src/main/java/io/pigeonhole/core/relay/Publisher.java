package io.pigeonhole.core.relay;

import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.List;

/**
 * Publishes messages to a broker and waits for its confirmation. Implemented by adapters; safe for use by many threads. The contract is
 * {@code PublisherContract} of the testkit.
 */
public interface Publisher {
    /**
     * What the publisher is called in logs and health reports.
     *
     * @return the broker and where the messages go, without passwords
     */
    String name();

    /**
     * Publishes messages, each with the same id every time, and waits until each is confirmed, refused, or cannot be published now.
     *
     * <p>No two messages of one call have the same ordering key, so that they need no order among each other: a relay hands in the next
     * one of a key behind the confirmation of the one before.
     *
     * <p>Whatever is not confirmed when this returns must not be sent later: it would come behind messages that follow it. An
     * interrupt ends the waiting, and what is not confirmed by then is unavailable.
     *
     * @param messages at least one
     * @param timeout how long to wait for all of them
     * @return what became of each, in the same order
     */
    List<Publication> publish(List<Message> messages, Duration timeout);
}
