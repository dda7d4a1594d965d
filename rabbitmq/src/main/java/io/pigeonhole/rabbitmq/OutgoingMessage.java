package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;

/** A message as it is handed to the client. */
record OutgoingMessage(String exchange, String routingKey, BasicProperties properties, byte[] body) {}
