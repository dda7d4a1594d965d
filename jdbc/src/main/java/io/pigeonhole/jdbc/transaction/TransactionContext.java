package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.handler.IdempotencyKey;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.jdbc.JdbcContext;

/** The context of one message in one call of its handler. */
final class TransactionContext extends HandlerWriter implements JdbcContext {
    private final String consumer;
    private final MessageKey key;
    private final Message message;
    private final int attempt;

    TransactionContext(HandlerCall call, String consumer, MessageKey key, Message message, int attempt) {
        super(call, key, scope(key, message));
        this.consumer = consumer;
        this.key = key;
        this.message = message;
        this.attempt = attempt;
    }

    private static Object scope(MessageKey key, Message message) {
        OrderingKey orderingKey = OrderingKey.of(message);
        return orderingKey == null ? key : orderingKey;
    }

    @Override
    public Message message() {
        return message;
    }

    @Override
    protected Message handled() {
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
