package io.pigeonhole.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.LongStringHelper;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.OrderingKey;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A durable queue, and somebody who makes it, sends to it with confirms, and looks. */
final class AmqpQueue implements AutoCloseable {
    static final Map<String, Object> CLASSIC = Map.of();
    static final Map<String, Object> QUORUM = Map.of("x-queue-type", "quorum");

    private static final String PREFIX =
            "pigeonhole-it-" + ProcessHandle.current().pid() + "-";
    private static final int PATIENCE_MILLIS = 120_000;

    /** More than a client reads. */
    private static final int TOO_DEEP = 40;

    private final ConnectionFactory factory;
    private final String name;
    private final Map<String, Object> arguments;
    private @Nullable Connection open;

    private AmqpQueue(ConnectionFactory factory, String name, Map<String, Object> arguments) {
        this.factory = factory.clone();
        this.factory.setAutomaticRecoveryEnabled(false);
        this.factory.setHandshakeTimeout(PATIENCE_MILLIS);
        this.name = name;
        this.arguments = arguments;
    }

    /** A queue that is not there yet. */
    static AmqpQueue named(ConnectionFactory factory, String name, Map<String, Object> arguments) {
        return new AmqpQueue(factory, PREFIX + name, arguments);
    }

    static AmqpQueue create(ConnectionFactory factory, String name, Map<String, Object> arguments) {
        AmqpQueue queue = named(factory, name, arguments);
        queue.declare();
        return queue;
    }

    /** Something to do with a channel. */
    @FunctionalInterface
    interface Work<T> {
        T with(Channel channel) throws IOException, TimeoutException, InterruptedException;
    }

    /** Does something on a channel of its own, which is closed then. */
    synchronized <T> T ask(Work<T> work) {
        try (Channel channel = connection().createChannel()) {
            return work.with(channel);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Connection connection() throws IOException, TimeoutException {
        Connection connection = open;
        if (connection == null || !connection.isOpen()) {
            connection = factory.newConnection("test of " + name);
            open = connection;
        }
        return connection;
    }

    String name() {
        return name;
    }

    void declare() {
        ask(channel -> channel.queueDeclare(name, true, false, false, arguments));
    }

    void delete() {
        ask(channel -> channel.queueDelete(name));
    }

    /** How many messages wait to be delivered. */
    long ready() {
        return ask(channel -> channel.messageCount(name));
    }

    /** Both numbers of one answer. */
    long readyAndConsumers() {
        return ask(channel -> {
            DeclareOk queue = channel.queueDeclarePassive(name);
            return (long) queue.getMessageCount() + queue.getConsumerCount();
        });
    }

    long consumers() {
        return ask(channel -> channel.consumerCount(name));
    }

    void send(List<Message> messages) {
        ask(channel -> {
            channel.confirmSelect();
            for (Message message : messages) {
                channel.basicPublish("", name, properties(message).build(), message.payload());
            }
            channel.waitForConfirmsOrDie(PATIENCE_MILLIS);
            return messages.size();
        });
    }

    void send(BasicProperties properties, byte[] payload) {
        ask(channel -> {
            channel.confirmSelect();
            channel.basicPublish("", name, properties, payload);
            channel.waitForConfirmsOrDie(PATIENCE_MILLIS);
            return name;
        });
    }

    /** What a producer makes of a message. */
    static BasicProperties.Builder properties(Message message) {
        Map<String, Object> headers = new HashMap<>();
        for (Header header : message.headers()) {
            headers.put(header.name(), header.value());
        }
        OrderingKey key = OrderingKey.of(message);
        if (key != null) {
            headers.put("ordering-key", LongStringHelper.asLongString(key.bytes()));
        }
        return new BasicProperties.Builder()
                .messageId(textOf(message.id()))
                .type(message.type())
                .contentType(message.contentType())
                .deliveryMode(2)
                .headers(headers);
    }

    /** Those of a message with a header that is nested deeper than the client reads. */
    static BasicProperties unreadable() {
        Object value = "the bottom";
        for (int i = 0; i < TOO_DEEP; i++) {
            value = List.of(value);
        }
        return new BasicProperties.Builder()
                .messageId("deep")
                .type("test")
                .deliveryMode(2)
                .headers(Map.of("deep", value))
                .build();
    }

    private static @Nullable String textOf(@Nullable MessageId id) {
        return id == null ? null : new String(id.toBytes(), UTF_8);
    }

    @Override
    public void close() {
        delete();
        if (open != null) {
            open.abort();
        }
    }
}
