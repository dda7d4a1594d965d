package io.pigeonhole.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/**
 * Makes entries of messages, of which {@link MessageMapper} makes the same messages again. Headers of a message that are named like
 * an attribute of ours are left out: they would change what the message is.
 */
record EntryMaker(String queue, MessageMapper.Attributes attributes) {
    /** What SQS takes of one message, with its attributes. */
    static final int LARGEST = 1 << 20;

    private static final String FIFO = ".fifo";
    private static final String BASE64 = "base64";
    private static final int MOST_ATTRIBUTES = 10;
    private static final int LONGEST_NAME = 256;
    private static final Pattern NAME = Pattern.compile("(?!(?i:aws|amazon)\\.)[\\w-]+(\\.[\\w-]+)*");
    private static final Pattern GROUP = Pattern.compile("[!-~]{1,128}");

    /** An entry without its place in the request, and how much of the request it takes. */
    record Entry(SendMessageBatchRequestEntry value, int bytes) {}

    /**
     * The entry of a message.
     *
     * @throws PermanentFailure if SQS takes no such message
     */
    Entry entry(Message message) {
        if (message.isTombstone()) {
            throw new PermanentFailure("the message is a tombstone, which SQS does not have: give it a payload");
        }
        if (message.payload().length == 0) {
            throw new PermanentFailure("the payload is empty, which SQS does not take: give the message a payload");
        }
        Map<String, MessageAttributeValue> values = headersOf(message);
        MessageId id = message.id();
        put(values, attributes.id(), id == null ? null : id.toBytes());
        put(values, attributes.type(), bytesOf(message.type()));
        put(values, attributes.contentType(), bytesOf(message.contentType()));
        SendMessageBatchRequestEntry.Builder entry = SendMessageBatchRequestEntry.builder();
        if (isFifo()) {
            setGroup(message, entry);
        } else {
            put(values, attributes.orderingKey(), message.orderingKey());
        }
        String body = bodyOf(message, values);
        requireNumber(values.size());
        int bytes = body.getBytes(UTF_8).length + bytesOf(values);
        if (bytes > LARGEST) {
            throw new PermanentFailure("the message has " + bytes + " bytes with its attributes, more than the "
                    + LARGEST + " that SQS takes: send less, or a reference to it");
        }
        return new Entry(entry.messageAttributes(values).messageBody(body).build(), bytes);
    }

    private boolean isFifo() {
        return queue.endsWith(FIFO);
    }

    /** A message without a key has a group of its own, which holds up no other. */
    private static void setGroup(Message message, SendMessageBatchRequestEntry.Builder entry) {
        MessageId id = message.id();
        if (id == null) {
            throw new PermanentFailure("the message has no id, by which a FIFO queue recognises duplicates");
        }
        String deduplication = asGroup(id.toBytes());
        if (deduplication == null) {
            throw new PermanentFailure("the id " + id
                    + " cannot be a deduplication id, which has 1 to 128 characters of ASCII" + " without spaces");
        }
        byte[] key = message.orderingKey();
        String group = key == null ? deduplication : asGroup(key);
        if (group == null) {
            throw new PermanentFailure(
                    "the ordering key cannot be a message group, which has 1 to 128 characters of ASCII"
                            + " without spaces: give messages to FIFO queues such keys");
        }
        entry.messageGroupId(group).messageDeduplicationId(deduplication);
    }

    private static @Nullable String asGroup(byte[] bytes) {
        String text = SqsText.of(bytes);
        return text != null && GROUP.matcher(text).matches() ? text : null;
    }

    private String bodyOf(Message message, Map<String, MessageAttributeValue> values) {
        String text = SqsText.of(message.payload());
        MessageAttributeValue encoding = values.get(attributes.contentEncoding());
        if (text != null && (encoding == null || !BASE64.equalsIgnoreCase(encoding.stringValue()))) {
            return text;
        }
        if (encoding != null) {
            throw new PermanentFailure(
                    "the header '" + attributes.contentEncoding() + "' is what says on SQS whether a body is"
                            + " base64, as that of this message has to be: give the header, or the attribute"
                            + " (contentEncodingAttribute), another name");
        }
        put(values, attributes.contentEncoding(), BASE64.getBytes(UTF_8));
        return Base64.getEncoder().encodeToString(message.payload());
    }

    private Map<String, MessageAttributeValue> headersOf(Message message) {
        Map<String, MessageAttributeValue> values = new LinkedHashMap<>();
        for (Header header : message.headers()) {
            String name = header.name();
            if (isOurs(name)) {
                continue;
            }
            if (name.length() > LONGEST_NAME || !NAME.matcher(name).matches()) {
                throw new PermanentFailure(
                        "the header '" + name + "' cannot be an attribute of SQS, whose name has up to " + LONGEST_NAME
                                + " letters, digits, underscores, hyphens and single periods within: rename it");
            }
            if (values.containsKey(name)) {
                throw new PermanentFailure(
                        "the header '" + name + "' stands there more than once, and SQS has one attribute of"
                                + " each name: join the values, or give them names of their own");
            }
            byte[] value = header.value();
            put(values, name, value == null ? new byte[0] : value);
        }
        return values;
    }

    private boolean isOurs(String name) {
        return name.equals(attributes.id())
                || name.equals(attributes.type())
                || name.equals(attributes.contentType())
                || name.equals(attributes.orderingKey());
    }

    private static void put(Map<String, MessageAttributeValue> values, String name, byte @Nullable [] value) {
        if (value == null) {
            return;
        }
        if (value.length == 0) {
            throw new PermanentFailure(
                    "'" + name + "' is empty, and SQS takes no attribute without a value: leave it out");
        }
        String text = SqsText.of(value);
        MessageAttributeValue.Builder attribute = MessageAttributeValue.builder();
        values.put(
                name,
                text == null
                        ? attribute
                                .dataType("Binary")
                                .binaryValue(SdkBytes.fromByteArray(value))
                                .build()
                        : attribute.dataType("String").stringValue(text).build());
    }

    private static void requireNumber(int count) {
        if (count > MOST_ATTRIBUTES) {
            throw new PermanentFailure(
                    "the message needs " + count + " attributes, for its headers, id, type, content type,"
                            + " ordering key and encoding; SQS takes " + MOST_ATTRIBUTES + ": send fewer headers");
        }
    }

    private static byte @Nullable [] bytesOf(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    private static int bytesOf(Map<String, MessageAttributeValue> values) {
        int bytes = 0;
        for (Map.Entry<String, MessageAttributeValue> each : values.entrySet()) {
            MessageAttributeValue value = each.getValue();
            bytes += each.getKey().length() + value.dataType().length();
            bytes += value.stringValue() == null
                    ? value.binaryValue().asByteArrayUnsafe().length
                    : value.stringValue().getBytes(UTF_8).length;
        }
        return bytes;
    }
}
