package io.pigeonhole.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;

/**
 * Makes messages of what SQS delivers. Text becomes its UTF-8 bytes, bytes stay bytes, and nothing is dropped but the mark of
 * an encoding that was undone.
 *
 * @param queue the name of the queue
 * @param source the source of its messages
 */
record MessageMapper(String queue, String source, Attributes attributes, IdFallback idFallback) {
    private static final String BASE64 = "base64";
    private static final String FIFO = ".fifo";

    /** The names of the attributes that have a meaning. */
    record Attributes(String id, String type, String contentType, String contentEncoding, String orderingKey) {}

    Message map(software.amazon.awssdk.services.sqs.model.Message message) {
        Headers headers = headersOf(message.messageAttributes());
        byte[] body = message.body().getBytes(UTF_8);
        MessageId id = idOf(headers, message.messageId());
        String type = headers.lastText(attributes.type());
        Message.Builder builder = Message.builder(source)
                .id(id)
                .type(type)
                .fieldNames(id == null || type == null ? fieldNames() : null)
                .contentType(headers.lastText(attributes.contentType()))
                .orderingKey(orderingKeyOf(headers, message))
                .deliveries(receiveCountOf(message))
                .origin(queue + " " + message.messageId());
        if (!BASE64.equalsIgnoreCase(headers.lastText(attributes.contentEncoding()))) {
            return builder.headers(headers).payload(body).build();
        }
        try {
            byte[] decoded = decode(body);
            return builder.headers(without(attributes.contentEncoding(), headers))
                    .payload(decoded)
                    .build();
        } catch (IllegalArgumentException e) {
            return builder.headers(headers)
                    .payload(body)
                    .defect("the body is not the base64 that its attribute '" + attributes.contentEncoding()
                            + "' says it is: " + e.getMessage())
                    .build();
        }
    }

    private FieldNames fieldNames() {
        return new FieldNames(
                "the attribute '" + attributes.id() + "' (setting idAttribute, see also idFallback)",
                "the attribute '" + attributes.type() + "' (setting typeAttribute)");
    }

    /** Bytes have one text only: the decoder also takes text without its padding, and drops bits behind the last byte. */
    private static byte[] decode(byte[] body) {
        byte[] decoded = Base64.getDecoder().decode(body);
        if (!Arrays.equals(Base64.getEncoder().encode(decoded), body)) {
            throw new IllegalArgumentException("it lacks padding, or has bits that belong to none of its bytes");
        }
        return decoded;
    }

    private @Nullable MessageId idOf(Headers headers, String givenBySqs) {
        byte[] id = headers.last(attributes.id());
        if (id != null && id.length > 0) {
            return MessageId.of(id);
        }
        return idFallback == IdFallback.TRANSPORT ? MessageId.of("sqs:" + givenBySqs) : null;
    }

    /** On a queue that keeps an order it is the message group, and nothing else: the order is within the group. */
    private byte @Nullable [] orderingKeyOf(
            Headers headers, software.amazon.awssdk.services.sqs.model.Message message) {
        if (!queue.endsWith(FIFO)) {
            return headers.last(attributes.orderingKey());
        }
        String group = message.attributes().get(MessageSystemAttributeName.MESSAGE_GROUP_ID);
        return group == null ? null : group.getBytes(UTF_8);
    }

    private static int receiveCountOf(software.amazon.awssdk.services.sqs.model.Message message) {
        String count = message.attributes().get(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT);
        return count == null ? 0 : Integer.parseInt(count);
    }

    private static Headers headersOf(Map<String, MessageAttributeValue> attributes) {
        List<Header> headers = new ArrayList<>(attributes.size());
        attributes.forEach((name, value) -> headers.add(new Header(name, bytesOf(value))));
        return headers.isEmpty() ? Headers.none() : new Headers(headers);
    }

    private static byte @Nullable [] bytesOf(MessageAttributeValue value) {
        if (value.stringValue() != null) {
            return value.stringValue().getBytes(UTF_8);
        }
        return value.binaryValue() == null ? null : value.binaryValue().asByteArray();
    }

    private static Headers without(String name, Headers headers) {
        return new Headers(headers.list().stream()
                .filter(header -> !header.name().equals(name))
                .toList());
    }
}
