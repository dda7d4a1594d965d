package io.pigeonhole.examples.demo;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.embedded.EmbeddedSqs;
import io.pigeonhole.sqs.SqsSource;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/** The protocol of Amazon SQS with a standard queue; the server inside this JVM is ElasticMQ. */
final class SqsBroker implements Broker {
    /** A consumer that is killed leaves its messages hidden for so long. */
    private static final Duration VISIBILITY = Duration.ofSeconds(2);

    private final EmbeddedSqs server;
    private final SqsClient client;
    private final String queueUrl;

    private SqsBroker(EmbeddedSqs server) {
        this.server = server;
        this.client = client(server.endpoint().toString(), null);
        this.queueUrl = client.createQueue(queue -> queue.queueName(ConsumerSettings.QUEUE))
                .queueUrl();
    }

    static SqsBroker start() {
        return new SqsBroker(EmbeddedSqs.start());
    }

    private static SqsClient client(String endpoint, @Nullable ExecutionInterceptor interceptor) {
        return SqsClient.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.EU_CENTRAL_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("any", "any")))
                .httpClient(UrlConnectionHttpClient.create())
                .overrideConfiguration(configuration -> {
                    if (interceptor != null) {
                        configuration.addExecutionInterceptor(interceptor);
                    }
                })
                .build();
    }

    static Source source(Inbox<?> inbox, ConsumerSettings settings) {
        SqsClient client =
                client(settings.brokerAddress(), new SqsDeliveryTap(DeliveryLog.append(settings.deliveries())));
        return SqsSource.builder(inbox, client, ConsumerSettings.QUEUE)
                .visibilityTimeout(VISIBILITY)
                .build();
    }

    @Override
    public String address() {
        return server.endpoint().toString();
    }

    @Override
    public PaymentSender sender(String name, Consumer<Exception> failed) {
        return new Sender();
    }

    /** The server says "approximate" and counts exactly. */
    @Override
    public long unacknowledged() {
        Map<QueueAttributeName, String> counts = client.getQueueAttributes(request -> request.queueUrl(queueUrl)
                        .attributeNames(
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES,
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE))
                .attributes();
        return counts.values().stream().mapToLong(Long::parseLong).sum();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }

    /** Sends in batches of ten. */
    private final class Sender implements PaymentSender {
        private static final int BATCH = 10;

        private final List<SendMessageBatchRequestEntry> batch = new ArrayList<>();

        @Override
        public void send(String id, @Nullable String orderingKey, String payload) {
            Map<String, MessageAttributeValue> attributes = new HashMap<>();
            attributes.put("message-id", text(id));
            attributes.put("message-type", text(PaymentProducer.TYPE));
            if (orderingKey != null) {
                attributes.put("ordering-key", text(orderingKey));
            }
            batch.add(SendMessageBatchRequestEntry.builder()
                    .id(String.valueOf(batch.size()))
                    .messageBody(payload)
                    .messageAttributes(attributes)
                    .build());
            if (batch.size() == BATCH) {
                flush();
            }
        }

        private static MessageAttributeValue text(String value) {
            return MessageAttributeValue.builder()
                    .dataType("String")
                    .stringValue(value)
                    .build();
        }

        @Override
        public void flush() {
            if (batch.isEmpty()) {
                return;
            }
            List<BatchResultErrorEntry> refused = client.sendMessageBatch(
                            request -> request.queueUrl(queueUrl).entries(List.copyOf(batch)))
                    .failed();
            if (!refused.isEmpty()) {
                throw new IllegalStateException("the server refused " + refused);
            }
            batch.clear();
        }

        @Override
        public void close() {
            flush();
        }
    }
}
