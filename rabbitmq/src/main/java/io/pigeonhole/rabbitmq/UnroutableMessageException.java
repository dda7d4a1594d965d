package io.pigeonhole.rabbitmq;

import io.pigeonhole.core.failure.PigeonholeException;

/**
 * RabbitMQ returned a message, because no queue is bound to its exchange for its routing key. It is retried as any other refusal is:
 * somebody may bind a queue.
 */
public final class UnroutableMessageException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    UnroutableMessageException(String exchange, String routingKey, int replyCode, String replyText) {
        super(
                "exchange '" + exchange + "' has no queue for routing key '" + routingKey + "': " + replyCode + " "
                        + replyText + ". Bind a queue, or give the exchange an alternate one",
                null);
    }
}
