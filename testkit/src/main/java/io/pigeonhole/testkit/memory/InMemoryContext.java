package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.IdempotencyKey;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import java.util.UUID;

/** What a handler gets from an {@link InMemoryStore}. Ends with the handler, for every thread. */
public final class InMemoryContext implements HandlerContext {
    private final Changes changes;
    private final String consumer;
    private final MessageKey key;
    private final Message message;
    private final int attempt;
    private boolean ended;

    InMemoryContext(Changes changes, String consumer, MessageKey key, Message message, int attempt) {
        this.changes = changes;
        this.consumer = consumer;
        this.key = key;
        this.message = message;
        this.attempt = attempt;
    }

    /**
     * Has an effect when the transaction commits, and none when it is rolled back. Effects run in the order in which they
     * were deferred, on the committing thread, and no two transactions' effects at the same time. An effect that throws
     * makes the commit fail; what ran before it is not undone, since there is no database to undo it.
     *
     * @param effect what to do; it should not block
     * @throws IllegalStateException if the handler has ended, or its transaction
     */
    public synchronized void defer(Runnable effect) {
        requireNotEnded();
        changes.defer(effect);
    }

    @Override
    public synchronized Outbox outbox() {
        Outbox within = OutboxTable.in(changes, message);
        return new Outbox() {
            @Override
            public UUID append(OutboxMessage toSend) {
                synchronized (InMemoryContext.this) {
                    requireNotEnded();
                    return within.append(toSend);
                }
            }
        };
    }

    private void requireNotEnded() {
        if (ended) {
            throw new IllegalStateException("the handler of " + message
                    + " has ended, and its context with it: let a handler wait for the threads that it starts");
        }
    }

    synchronized void end() {
        ended = true;
    }

    @Override
    public Message message() {
        return message;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public String idempotencyKey(String step) {
        return IdempotencyKey.of(consumer, key, step);
    }
}
