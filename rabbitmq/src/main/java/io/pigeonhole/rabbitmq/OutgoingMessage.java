package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;

/** A message as it is handed to the client. Immutable as long as nobody changes its body. */
final class OutgoingMessage {
    private final String exchange;
    private final String routingKey;
    private final BasicProperties properties;
    private final byte[] body;

    OutgoingMessage(String exchange, String routingKey, BasicProperties properties, byte[] body) {
        this.exchange = exchange;
        this.routingKey = routingKey;
        this.properties = properties;
        this.body = body;
    }

    String exchange() {
        return exchange;
    }

    String routingKey() {
        return routingKey;
    }

    BasicProperties properties() {
        return properties;
    }

    byte[] body() {
        return body;
    }
}
