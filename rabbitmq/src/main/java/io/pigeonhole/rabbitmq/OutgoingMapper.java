package io.pigeonhole.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes of messages what is published, of which {@link DeliveryMapper} makes the same messages again. Headers of a message that are
 * named like one of ours are left out: they would change what the message is.
 */
record OutgoingMapper(
        String exchange,
        Function<Message, String> routingKey,
        @Nullable String idHeader,
        String typeHeader,
        String orderingKeyHeader) {
    private static final String ID = "message-id";
    /** What the protocol calls a short string has one byte for its length. */
    private static final int LONGEST_SHORT_STRING = 255;

    private static final int PERSISTENT = 2;
    private static final char REPLACEMENT = '\uFFFD';

    /**
     * What is published.
     *
     * @throws PermanentFailure if the protocol has no form for it
     */
    OutgoingMessage map(Message message) {
        if (message.isTombstone()) {
            throw new PermanentFailure(
                    "the message is a tombstone, which AMQP does not have: give it a payload, maybe an empty one");
        }
        Map<String, Object> headers = headersOf(message);
        BasicProperties.Builder properties = new BasicProperties.Builder().deliveryMode(PERSISTENT);
        setId(message.id(), properties, headers);
        setType(message.type(), properties, headers);
        properties.contentType(requireShort("content type", message.contentType()));
        if (message.orderingKey() != null) {
            headers.put(orderingKeyHeader, valueOf(message.orderingKey()));
        }
        return new OutgoingMessage(
                exchange, routingKeyOf(message), properties.headers(headers).build(), message.payload());
    }

    private String routingKeyOf(Message message) {
        String key = routingKey.apply(message);
        if (key == null) {
            throw new PermanentFailure("the function of the publisher gave no routing key for the message");
        }
        requireShort("routing key", key);
        return key;
    }

    private void setId(@Nullable MessageId id, BasicProperties.Builder properties, Map<String, Object> headers) {
        if (id == null) {
            return;
        }
        byte[] bytes = id.toBytes();
        String text = textOf(bytes);
        boolean fits = text != null && text.indexOf(REPLACEMENT) < 0 && bytes.length <= LONGEST_SHORT_STRING;
        if (fits) {
            properties.messageId(text);
        }
        if (idHeader != null) {
            headers.put(idHeader, valueOf(bytes));
        } else if (!fits) {
            throw new PermanentFailure(
                    "the id " + id + " does not fit the property message-id, which takes UTF-8 of at most "
                            + LONGEST_SHORT_STRING + " bytes: name a header for ids (idHeader)");
        }
    }

    /** The property where it fits; the source looks at the header where there is none. */
    private void setType(@Nullable String type, BasicProperties.Builder properties, Map<String, Object> headers) {
        if (type == null) {
            return;
        }
        if (type.isEmpty() || !isShort(type)) {
            headers.put(typeHeader, valueOf(type.getBytes(UTF_8)));
        } else {
            properties.type(type);
        }
    }

    private Map<String, Object> headersOf(Message message) {
        Map<String, Object> headers = new LinkedHashMap<>();
        for (Header header : message.headers()) {
            String name = header.name();
            if (isOurs(name)) {
                continue;
            }
            requireShort("name of a header", name);
            if (headers.containsKey(name)) {
                throw new PermanentFailure(
                        "the header '" + name
                                + "' stands there more than once, and AMQP has one of each name: join the values, or give them names of their own");
            }
            byte[] value = header.value();
            headers.put(name, value == null ? null : valueOf(value));
        }
        return headers;
    }

    private boolean isOurs(String name) {
        return name.equals(ID) || name.equals(idHeader) || name.equals(typeHeader) || name.equals(orderingKeyHeader);
    }

    /** Text is sent as a string, which every client shows as one. */
    private static Object valueOf(byte[] value) {
        return textOf(value) == null ? value : LongStringHelper.asLongString(value);
    }

    private static @Nullable String textOf(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static @Nullable String requireShort(String what, @Nullable String text) {
        if (text != null && !isShort(text)) {
            throw new PermanentFailure("the " + what + " has " + text.getBytes(UTF_8).length + " bytes; AMQP takes "
                    + LONGEST_SHORT_STRING + ": shorten it");
        }
        return text;
    }

    private static boolean isShort(String text) {
        return text.length() <= LONGEST_SHORT_STRING && text.getBytes(UTF_8).length <= LONGEST_SHORT_STRING;
    }
}
