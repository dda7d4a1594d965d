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
     * Runs around the work on a batch, from before its first transaction to behind its last: for spans, timers, thread-bound
     * contexts. Called on the thread that works on it, which is that of the handlers too, and only for what goes to the database: a batch that was delivered, or the
     * end of one message that is under a lease. What workers take otherwise is known only inside their transaction: for that
     * {@link #aroundHandler} is called alone.
     *
     * <p>It calls {@link Invocation#proceed} once and may catch what that throws in order to look at it. It cannot prevent, repeat or
     * hide anything: what was thrown counts, and what the listener throws itself is logged.
     *
     * <pre>{@code
     * public void aroundBatch(Invocation batch) throws Exception {
     *     long begun = System.nanoTime();
     *     try {
     *         batch.proceed();
     *     } finally {
     *         timer.record(System.nanoTime() - begun);
     *     }
     * }
     * }</pre>
     *
     * @param batch the batch, which may be a part of what was handed in
     * @throws Exception what {@code proceed} threw
     */
    default void aroundBatch(Invocation batch) throws Exception {
        batch.proceed();
    }

    /**
     * The same around each call of a handler, inside its transaction, or of an external handler, outside of one: for the context of the
     * message, such as MDC or a trace that is continued. What an external handler has to be written is a call of its own, inside the
     * transaction behind it. A handler that takes messages one by one is called for each, a batch handler for
     * several at once. What is written after {@code proceed} in the handler's transaction would be the handler's: do not.
     *
     * @param handler the call
     * @throws Exception what {@code proceed} threw
     */
    default void aroundHandler(Invocation handler) throws Exception {
        handler.proceed();
    }

    /**
     * A message was to be finished under a lease that is not the newest any more: what its handler wanted to write was
     * refused. Somebody else has the message, or has finished it.
     *
     * @param consumer the inbox's consumer
     * @param message the message
     */
    default void onLeaseLost(String consumer, Message message) {}

    /**
     * A batch has been in work for longer than {@link InboxBuilder#slowBatch}, and goes on. Called once for each, one after the other
     * on a thread of its own; while a listener hangs, a hundred calls wait behind it, and further ones are left out.
     *
     * @param consumer the inbox's consumer
     * @param inWork for how long
     */
    default void onSlowBatch(String consumer, Duration inWork) {}
}
