package io.pigeonhole.core.handler;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.Outbox;

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

    /**
     * Where the handler appends messages to send: they are published after the commit, and not at all where the message's transaction
     * is rolled back. Their correlation and causation come from the message.
     *
     * @return an outbox for as long as this context is valid
     * @throws IllegalStateException if this context has no transaction, as that of an external handler: append in its completion
     */
    default Outbox outbox() {
        throw new IllegalStateException(
                "this context has no transaction to append a message in; an external handler appends in the"
                        + " completion that it returns, whose context has one");
    }
}
