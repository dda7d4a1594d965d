package io.pigeonhole.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.testkit.contract.BrokerQueue;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;

/** A queue of a test. Producers reach the server directly, sources through a client that may be disturbed. */
public final class SqsTestQueue implements BrokerQueue, AutoCloseable {
    private static final String FIFO = ".fifo";
    private static final int MOST_AT_ONCE = 10;

    private final String name;
    private final SqsClient client;
    private final SqsClient sourceClient;
    private final String url;

    /** Makes the queue, FIFO if its name says so. */
    SqsTestQueue(String name, SqsClient client, SqsClient sourceClient) {
        this.name = name;
        this.client = client;
        this.sourceClient = sourceClient;
        Map<QueueAttributeName, String> attributes =
                isFifo() ? Map.of(QueueAttributeName.FIFO_QUEUE, "true") : Map.of();
        this.url = client.createQueue(request -> request.queueName(name).attributes(attributes))
                .queueUrl();
    }

    static SqsTestQueue ofNewName(String suffix) {
        return named("queue-" + UUID.randomUUID() + suffix);
    }

    public static SqsTestQueue named(String name) {
        SqsClient client = SqsServer.client();
        return new SqsTestQueue(name, client, client);
    }

    private boolean isFifo() {
        return name.endsWith(FIFO);
    }

    @Override
    public String name() {
        return name;
    }

    String url() {
        return url;
    }

    SqsClient client() {
        return client;
    }

    @Override
    public void send(List<Message> messages) {
        for (int from = 0; from < messages.size(); from += MOST_AT_ONCE) {
            List<SendMessageBatchRequestEntry> entries = new ArrayList<>();
            for (Message message : messages.subList(from, Math.min(from + MOST_AT_ONCE, messages.size()))) {
                entries.add(entry("" + entries.size(), message));
            }
            SendMessageBatchResponse response =
                    client.sendMessageBatch(request -> request.queueUrl(url).entries(entries));
            if (response.hasFailed() && !response.failed().isEmpty()) {
                throw new IllegalStateException("not sent: " + response.failed());
            }
        }
    }

    private SendMessageBatchRequestEntry entry(String place, Message message) {
        Map<String, MessageAttributeValue> attributes = new HashMap<>();
        for (Header header : message.headers()) {
            put(attributes, header.name(), header.value());
        }
        MessageId id = message.id();
        put(attributes, "message-id", id == null ? null : id.toBytes());
        put(attributes, "message-type", bytes(message.type()));
        put(attributes, "content-type", bytes(message.contentType()));
        SendMessageBatchRequestEntry.Builder entry =
                SendMessageBatchRequestEntry.builder().id(place);
        if (isFifo()) {
            // Each sending is one of its own, whatever SQS takes for a duplicate within five minutes.
            entry.messageDeduplicationId(UUID.randomUUID().toString()).messageGroupId(groupOf(message));
        } else {
            put(attributes, "ordering-key", message.orderingKey());
        }
        String body = text(message.payload());
        if (body == null) {
            put(attributes, "content-encoding", bytes("base64"));
            body = Base64.getEncoder().encodeToString(message.payload());
        }
        return entry.messageAttributes(attributes).messageBody(body).build();
    }

    /** Names of groups have no spaces. */
    private static String groupOf(Message message) {
        byte[] key = message.orderingKey();
        return key == null ? UUID.randomUUID().toString() : new String(key, UTF_8).replace(' ', '-');
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    private static void put(Map<String, MessageAttributeValue> attributes, String name, byte @Nullable [] value) {
        if (value == null) {
            return;
        }
        String text = text(value);
        attributes.put(
                name,
                text == null
                        ? MessageAttributeValue.builder()
                                .dataType("Binary")
                                .binaryValue(SdkBytes.fromByteArray(value))
                                .build()
                        : MessageAttributeValue.builder()
                                .dataType("String")
                                .stringValue(text)
                                .build());
    }

    /** Null where SQS does not take it for text. */
    private static @Nullable String text(byte[] bytes) {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.chars().anyMatch(c -> c < ' ') ? null : text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** What an answer that is cut off has handed out comes back after the visibility timeout. */
    @Override
    public SqsSource source(Inbox<?> inbox) {
        return builder(inbox).visibilityTimeout(Duration.ofSeconds(3)).build();
    }

    /** The server does not tell those who wait that a group goes on after a deletion: they have to ask again. */
    SqsSourceBuilder builder(Inbox<?> inbox) {
        SqsSourceBuilder builder = SqsSource.builder(inbox, sourceClient, name);
        return isFifo() ? builder.waitTime(Duration.ofSeconds(1)) : builder;
    }

    /** Both numbers of one answer: between two, hidden messages could come back and be counted in neither. */
    @Override
    public long left(String consumer) {
        return count(
                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES,
                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE);
    }

    long visible() {
        return count(QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES);
    }

    /** How many messages somebody has, as far as the server knows. */
    long hidden() {
        return count(QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE);
    }

    private long count(QueueAttributeName... attributes) {
        return client
                .getQueueAttributes(request -> request.queueUrl(url).attributeNames(attributes))
                .attributes()
                .values()
                .stream()
                .mapToLong(Long::parseLong)
                .sum();
    }

    @Override
    public void close() {
        client.deleteQueue(request -> request.queueUrl(url));
        client.close();
        sourceClient.close();
    }
}
