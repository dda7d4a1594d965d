package io.pigeonhole.core.handler;

import io.pigeonhole.core.message.Message;

/**
 * What a handler gets with the message that it works on. The store adds to it what its handlers need: a JDBC store
 * hands out the connection. Meant for the thread that the handler runs on, and valid only while it runs: as soon as it has
 * returned or thrown, whatever would write through the context fails with {@link IllegalStateException}, on every thread.
 */
public interface HandlerContext {
    /**
     * The message.
     *
     * @return the message as the broker delivered it
     */
    Message message();

    /**
     * Which attempt this is. A batch that is replayed because another of its messages failed is still the same attempt.
     *
     * @return 1 for the first
     */
    int attempt();

    /**
     * A key to hand to another system that takes idempotency keys. It is the same for every attempt of this message by
     * this consumer, after a crash too, and different for every other message, consumer or step.
     *
     * @param step which of the handler's foreign calls it is for
     * @return 32 hexadecimal digits
     */
    String idempotencyKey(String step);
}
