package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Message;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link RabbitPublisher}. Not safe for use by many threads. */
public final class RabbitPublisherBuilder {
    private final ConnectionFactory connectionFactory;
    private final String exchange;
    private String routing = "no routing key";
    private @Nullable Function<Message, String> routingKey;
    private @Nullable String idHeader;
    private String typeHeader = "message-type";
    private String orderingKeyHeader = "ordering-key";
    private ConnectionOpener connectionOpener = ConnectionFactory::newConnection;

    RabbitPublisherBuilder(ConnectionFactory connectionFactory, String exchange) {
        this.connectionFactory = connectionFactory;
        this.exchange = exchange;
    }

    /**
     * Sets the routing key of all messages.
     *
     * @param key the routing key, at most 255 bytes, empty unless set, as for a fanout exchange; for the default exchange the name of a
     *     queue
     * @return this
     */
    public RabbitPublisherBuilder routingKey(String key) {
        this.routing = "routing key '" + key + "'";
        this.routingKey = message -> key;
        return this;
    }

    /**
     * Sets the routing key of each message.
     *
     * @param ofMessage the routing key, such as {@code Message::type}, at most 255 bytes; where it throws or answers null the message is
     *     refused. Called by many threads
     * @return this
     */
    public RabbitPublisherBuilder routingKey(Function<Message, String> ofMessage) {
        this.routing = "routing keys by message";
        this.routingKey = ofMessage;
        return this;
    }

    /**
     * Names a header that gets the id of a message, besides the property {@code message-id}. Ids that are no UTF-8 need one.
     *
     * @param name the header, none unless set
     * @return this
     */
    public RabbitPublisherBuilder idHeader(String name) {
        this.idHeader = name;
        return this;
    }

    /**
     * Names the header that gets the type of a message where it is empty, or too long for the property {@code type}.
     *
     * @param name the header, {@code message-type} unless set
     * @return this
     */
    public RabbitPublisherBuilder typeHeader(String name) {
        this.typeHeader = name;
        return this;
    }

    /**
     * Names the header that gets the ordering key of a message.
     *
     * @param name the header, {@code ordering-key} unless set
     * @return this
     */
    public RabbitPublisherBuilder orderingKeyHeader(String name) {
        this.orderingKeyHeader = name;
        return this;
    }

    /**
     * Replaces the opening of connections, for the nodes of a cluster and for instrumentation.
     *
     * @param opener opens a connection, {@code ConnectionFactory::newConnection} unless set
     * @return this
     */
    public RabbitPublisherBuilder connectionOpener(ConnectionOpener opener) {
        this.connectionOpener = opener;
        return this;
    }

    /**
     * Checks the settings together and makes the publisher.
     *
     * @return a publisher that has not connected yet, to be closed by the caller behind the node
     * @throws ConfigurationException if settings are wrong
     */
    public RabbitPublisher build() {
        require(
                !exchange.isEmpty() || routingKey != null,
                "routingKey is not set; on the default exchange it is the name of a queue");
        Stream.of(typeHeader, orderingKeyHeader, Objects.requireNonNullElse(idHeader, "none"))
                .forEach(header -> require(
                        !header.isBlank() && !DeliveryMapper.isOurs(header),
                        "'" + header + "' cannot be the name of a header that a source reads; name another one"));
        require(
                !typeHeader.equals(orderingKeyHeader)
                        && !typeHeader.equals(idHeader)
                        && !orderingKeyHeader.equals(idHeader),
                "idHeader, typeHeader and orderingKeyHeader have to be different names");
        String name = "RabbitMQ exchange '" + exchange + "' with " + routing + " at " + connectionFactory.getHost()
                + ":" + connectionFactory.getPort();
        return new RabbitPublisher(
                name,
                new OutgoingMapper(
                        exchange,
                        Objects.requireNonNullElse(routingKey, message -> ""),
                        idHeader,
                        typeHeader,
                        orderingKeyHeader),
                new SharedConnection(connectionFactory, connectionOpener, "pigeonhole-rabbitmq-publisher"));
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException("RabbitMQ publisher to exchange '" + exchange + "': " + otherwise);
        }
    }
}
