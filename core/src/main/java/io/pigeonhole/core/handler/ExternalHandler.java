package io.pigeonhole.core.handler;

/**
 * The business logic for messages whose effect is in another system, such as a payment provider or a mail server. It runs
 * outside any transaction, under a lease that a heartbeat prolongs.
 *
 * <p>The effect on this database is exactly once, as always: only the holder of the newest lease can finish the message, in
 * one transaction with what the {@link Completion} writes. The foreign effect is at least once: a process that dies after
 * the foreign call and before that transaction makes the call again. Hand {@link HandlerContext#idempotencyKey} to the other
 * system, so that it can recognise the repeated call.
 *
 * <p>The attempt is counted before the handler runs, so that one that kills its process is counted too.
 *
 * @param <T> the type of the decoded payload
 * @param <C> the context that the store hands to the completion
 */
@FunctionalInterface
public interface ExternalHandler<T, C extends HandlerContext> {
    /**
     * Handles one message.
     *
     * @param payload the decoded payload
     * @param context the message and the key for the foreign call
     * @return what to write when the message is finished
     * @throws Exception to say that the attempt failed: it is tried again later, or given up on
     */
    Completion<C> handle(T payload, ExternalContext context) throws Exception;
}
