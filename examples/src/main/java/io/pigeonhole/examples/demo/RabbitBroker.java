package io.pigeonhole.examples.demo;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.embedded.EmbeddedAmqp;
import io.pigeonhole.rabbitmq.RabbitSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The protocol of RabbitMQ, AMQP 0-9-1, with a durable queue; the broker inside this JVM is Qpid. */
final class RabbitBroker implements Broker {
    private static final long CONFIRM_MILLIS = 30_000;

    private final EmbeddedAmqp broker;
    private final Connection connection;

    private RabbitBroker(EmbeddedAmqp broker) throws IOException, TimeoutException {
        this.broker = broker;
        this.connection = factory(String.valueOf(broker.port())).newConnection("narrator");
        try (Channel channel = connection.createChannel()) {
            channel.queueDeclare(ConsumerSettings.QUEUE, true, false, false, Map.of());
        }
    }

    static RabbitBroker start(Path directory) {
        EmbeddedAmqp broker = EmbeddedAmqp.start(directory);
        try {
            return new RabbitBroker(broker);
        } catch (IOException | TimeoutException e) {
            broker.close();
            throw new IllegalStateException("the broker does not take connections", e);
        }
    }

    private static ConnectionFactory factory(String port) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(Integer.parseInt(port));
        factory.setUsername(EmbeddedAmqp.USER);
        factory.setPassword(EmbeddedAmqp.PASSWORD);
        return factory;
    }

    static Source source(Inbox<?> inbox, ConsumerSettings settings) {
        ConnectionFactory factory = factory(settings.brokerAddress());
        factory.setMetricsCollector(new RabbitDeliveryTap(DeliveryLog.append(settings.deliveries())));
        return RabbitSource.of(inbox, factory, ConsumerSettings.QUEUE);
    }

    @Override
    public String address() {
        return String.valueOf(broker.port());
    }

    @Override
    public PaymentSender sender(String name, Consumer<Exception> failed) {
        try {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            return new Sender(channel);
        } catch (IOException e) {
            throw new UncheckedIOException("no channel for " + name, e);
        }
    }

    /** What waits; what is delivered and not acknowledged is back among it once the consumer has ended. */
    @Override
    public long unacknowledged() {
        try (Channel channel = connection.createChannel()) {
            return channel.messageCount(ConsumerSettings.QUEUE);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("the broker does not say what is left", e);
        }
    }

    @Override
    public void close() {
        connection.abort();
        broker.close();
    }

    private record Sender(Channel channel) implements PaymentSender {
        @Override
        public void send(String id, @Nullable String orderingKey, String payload) {
            AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                    .messageId(id)
                    .type(PaymentProducer.TYPE)
                    .contentType("application/json")
                    .headers(orderingKey == null ? Map.of() : Map.of("ordering-key", orderingKey))
                    .deliveryMode(2)
                    .build();
            try {
                channel.basicPublish("", ConsumerSettings.QUEUE, properties, payload.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void flush() throws InterruptedException {
            try {
                channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
            } catch (IOException | TimeoutException e) {
                throw new IllegalStateException("the broker did not confirm everything", e);
            }
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
