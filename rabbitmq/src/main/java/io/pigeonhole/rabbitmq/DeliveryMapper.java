package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes messages of deliveries: the payload and the bytes of headers stay what they are, nothing is dropped. */
record DeliveryMapper(
        Map<String, String> sourceNames,
        @Nullable String idHeader,
        String typeHeader,
        Function<Delivery, byte @Nullable []> orderingKey) {
    private static final String OURS = "amqp-";
    private static final String SENT = "sent-";

    /** The headers that a message has from the broker alone, or from properties that have no other place. */
    private static final Set<String> NAMES_OF_OURS = Set.of(
            "amqp-exchange",
            "amqp-routing-key",
            "amqp-content-encoding",
            "amqp-correlation-id",
            "amqp-reply-to",
            "amqp-timestamp",
            "amqp-user-id",
            "amqp-app-id");

    private static final String DELIVERY_COUNT = "x-delivery-count";
    private static final char REPLACEMENT = '\uFFFD';

    /**
     * The message of a delivery from a queue.
     *
     * @throws ConfigurationException if the function that finds ordering keys failed
     */
    Message map(String queue, Delivery delivery) {
        Envelope envelope = delivery.getEnvelope();
        BasicProperties properties = delivery.getProperties();
        Headers headers = headersOf(envelope, properties);
        MessageId id = idHeader == null ? idOf(properties.getMessageId()) : idOf(headers.last(idHeader));
        String type = typeOf(properties.getType(), headers);
        return Message.builder(sourceNames.getOrDefault(queue, queue))
                .id(id)
                .type(type)
                .fieldNames(id == null || type == null ? fieldNames() : null)
                .contentType(properties.getContentType())
                .orderingKey(orderingKeyOf(queue, delivery))
                .headers(headers)
                .payload(delivery.getBody())
                .deliveries(deliveriesOf(envelope, properties))
                .origin(originOf(queue, envelope, id))
                .build();
    }

    /** Only what the function did is blamed on it: used up memory is an infrastructure error, and is there again later. */
    private byte @Nullable [] orderingKeyOf(String queue, Delivery delivery) {
        try {
            return orderingKey.apply(delivery);
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            throw new ConfigurationException(
                    "queue '" + queue + "': the function that finds ordering keys failed at a delivery; correct it,"
                            + " then start the source anew",
                    e);
        }
    }

    /**
     * A queue has no places. Without an id nothing distinguishes two messages, so that each delivery of one counts as
     * a place of its own: it is kept twice if it is delivered twice, and never taken for another that says the same.
     */
    private static String originOf(String queue, Envelope envelope, @Nullable MessageId id) {
        String route = "queue " + queue + ", exchange '" + envelope.getExchange() + "', routing key '"
                + envelope.getRoutingKey() + "'";
        return id == null ? route + ", delivery " + UUID.randomUUID() : route;
    }

    private FieldNames fieldNames() {
        return new FieldNames(
                idHeader == null
                        ? "the property 'message-id', which has to be UTF-8 (the setting idHeader names a header instead)"
                        : "the header '" + idHeader + "' (setting idHeader)",
                "the property 'type' and the header '" + typeHeader + "' (setting typeHeader)");
    }

    private @Nullable String typeOf(@Nullable String property, Headers headers) {
        return property == null || property.isEmpty() ? headers.lastText(typeHeader) : property;
    }

    /**
     * The client reads the property as UTF-8 and replaces what is none, which can make two ids one. Such an id is no id:
     * the message goes to the dead letters, where it is not lost.
     */
    private static @Nullable MessageId idOf(@Nullable String property) {
        return property == null || property.isEmpty() || property.indexOf(REPLACEMENT) >= 0
                ? null
                : MessageId.of(property);
    }

    private static @Nullable MessageId idOf(byte @Nullable [] header) {
        return header == null || header.length == 0 ? null : MessageId.of(header);
    }

    /** A header that has the name of one of ours is renamed: only we set ours, and only where there is such a thing. */
    private static Headers headersOf(Envelope envelope, BasicProperties properties) {
        List<Header> headers = new ArrayList<>();
        Map<String, Object> table = properties.getHeaders();
        if (table != null) {
            table.forEach((name, value) -> headers.add(new Header(nameOf(name), FieldText.bytesOf(value))));
        }
        Date timestamp = properties.getTimestamp();
        add(headers, "amqp-exchange", envelope.getExchange());
        add(headers, "amqp-routing-key", envelope.getRoutingKey());
        add(headers, "amqp-content-encoding", properties.getContentEncoding());
        add(headers, "amqp-correlation-id", properties.getCorrelationId());
        add(headers, "amqp-reply-to", properties.getReplyTo());
        add(
                headers,
                "amqp-timestamp",
                timestamp == null ? null : timestamp.toInstant().toString());
        add(headers, "amqp-user-id", properties.getUserId());
        add(headers, "amqp-app-id", properties.getAppId());
        return new Headers(headers);
    }

    private static String nameOf(String sent) {
        return isOurs(sent) ? SENT + sent : sent;
    }

    /** Whether no header has this name in a message but one of ours, in whatever case it was sent. */
    static boolean isOurs(String name) {
        return name.regionMatches(true, 0, OURS, 0, OURS.length())
                && NAMES_OF_OURS.contains(name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT));
    }

    private static void add(List<Header> headers, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            headers.add(new Header(name, value.getBytes(StandardCharsets.UTF_8)));
        }
    }

    /**
     * Quorum queues count; the flag "redelivered" of the others says too little to suspect a message of anything. A count at a
     * first delivery is none of the broker's: whoever published the message has sent the header along.
     */
    private static int deliveriesOf(Envelope envelope, BasicProperties properties) {
        Map<String, Object> table = properties.getHeaders();
        Object count = table == null ? null : table.get(DELIVERY_COUNT);
        if (!(count instanceof Number number) || number.longValue() < 0) {
            return 0;
        }
        boolean forged = number.longValue() > 0 && !envelope.isRedeliver();
        return forged ? 0 : (int) Math.min(number.longValue(), Integer.MAX_VALUE - 1) + 1;
    }
}
