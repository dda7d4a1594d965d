package io.pigeonhole.core.handler;

/**
 * The business logic for messages of one type. It runs inside the transaction that also claims the message, so that both
 * commit together or not at all. It must do its work through the context, on the calling thread, and must not end the
 * transaction. It may run more than once for one effect: when the transaction is rolled back, its writes are gone and it
 * runs again.
 *
 * @param <T> the type of the decoded payload
 * @param <C> the context that the store hands out
 */
@FunctionalInterface
public interface Handler<T, C extends HandlerContext> {
    /**
     * Handles one message.
     *
     * @param payload the decoded payload
     * @param context the message and the means to write
     * @throws Exception to say that the message failed: its writes are rolled back and it is tried again later;
     *     {@link io.pigeonhole.core.failure.PermanentFailure} makes it a dead letter at once. Errors, of the virtual machine
     *     too, and interrupts are failures like any other
     */
    void handle(T payload, C context) throws Exception;
}
