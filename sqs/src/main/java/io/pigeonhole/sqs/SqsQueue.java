package io.pigeonhole.sqs;

import io.pigeonhole.sqs.Received.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * The calls of a source to its queue, each bounded in time. All throw {@link RuntimeException}s of the client; what became of
 * the single messages of a call they answer. Safe for use by many threads.
 */
final class SqsQueue {
    /** How many messages SQS takes or gives in one call at most. */
    static final int MOST_AT_ONCE = 10;

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
    /** Have the status of a refusal, and pass by themselves. */
    private static final Set<String> PASSING = names("OverLimit RequestThrottled KmsThrottled ExpiredToken"
            + " ExpiredTokenException RequestExpired RequestTimeTooSkewed SlowDown TooManyRequestsException");
    /** Refusals whose status does not say so. */
    private static final Set<String> REFUSED = names("AccessDenied AccessDeniedException IncompleteSignature"
            + " InvalidClientTokenId InvalidSecurity KmsAccessDenied MissingAuthenticationToken NotAuthorized"
            + " OptInRequired SignatureDoesNotMatch UnrecognizedClientException");

    private final SqsClient client;
    private final QueueUrl url;
    private final Duration visibility;
    private final Duration wait;

    SqsQueue(SqsClient client, String nameOrUrl, Duration visibility, Duration wait) {
        this.client = client;
        this.url = new QueueUrl(client, nameOrUrl);
        this.visibility = visibility;
        this.wait = wait;
    }

    /** Looks up a queue that is known by its name, once; one that is known by its URL is found without asking. */
    void find() {
        call(known -> known);
    }

    /** The next messages, or none if none comes within the waiting time. */
    List<Message> receive() {
        return call(queue -> client.receiveMessage(request -> request.queueUrl(queue)
                        .maxNumberOfMessages(MOST_AT_ONCE)
                        .waitTimeSeconds((int) wait.toSeconds())
                        .visibilityTimeout((int) visibility.toSeconds())
                        .messageAttributeNames("All")
                        .messageSystemAttributeNames(
                                MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT,
                                MessageSystemAttributeName.MESSAGE_GROUP_ID)
                        .overrideConfiguration(within(wait.plus(CALL_TIMEOUT)))))
                .messages();
    }

    /** Deletes up to ten messages. */
    BatchResult delete(List<Delivery> deliveries) {
        List<DeleteMessageBatchRequestEntry> entries = IntStream.range(0, deliveries.size())
                .mapToObj(i -> DeleteMessageBatchRequestEntry.builder()
                        .id("" + i)
                        .receiptHandle(deliveries.get(i).receipt())
                        .build())
                .toList();
        List<BatchResultErrorEntry> failed = call(queue -> client.deleteMessageBatch(request ->
                        request.queueUrl(queue).entries(entries).overrideConfiguration(within(CALL_TIMEOUT))))
                .failed();
        return new BatchResult(deliveries, failed);
    }

    /** Hides up to ten messages for so long from now. */
    BatchResult hide(List<Delivery> deliveries, int seconds) {
        List<ChangeMessageVisibilityBatchRequestEntry> entries = IntStream.range(0, deliveries.size())
                .mapToObj(i -> ChangeMessageVisibilityBatchRequestEntry.builder()
                        .id("" + i)
                        .receiptHandle(deliveries.get(i).receipt())
                        .visibilityTimeout(seconds)
                        .build())
                .toList();
        List<BatchResultErrorEntry> failed = call(queue -> client.changeMessageVisibilityBatch(request ->
                        request.queueUrl(queue).entries(entries).overrideConfiguration(within(CALL_TIMEOUT))))
                .failed();
        return new BatchResult(deliveries, failed);
    }

    /** For how long the queue keeps a message that nobody deletes; null where it does not report it, as some servers do. */
    @Nullable
    Duration retention() {
        String seconds = call(queue -> client.getQueueAttributes(request -> request.queueUrl(queue)
                        .attributeNames(QueueAttributeName.MESSAGE_RETENTION_PERIOD)
                        .overrideConfiguration(within(CALL_TIMEOUT))))
                .attributesAsStrings()
                .get(QueueAttributeName.MESSAGE_RETENTION_PERIOD.toString());
        return seconds == null ? null : Duration.ofSeconds(Long.parseLong(seconds));
    }

    private <T> T call(Function<String, T> withUrl) {
        return url.call(CALL_TIMEOUT, withUrl);
    }

    /** For a call that has so much time, all its retries together. */
    static AwsRequestOverrideConfiguration within(Duration timeout) {
        return AwsRequestOverrideConfiguration.builder().apiCallTimeout(timeout).build();
    }

    private static Set<String> names(String separatedBySpaces) {
        return Set.of(separatedBySpaces.split(" ", -1));
    }

    /**
     * Whether SQS itself refuses the call: missing rights, wrong credentials. Whatever else is thrown says nothing about that: the
     * network, a provider of credentials, an interceptor of the user.
     */
    static boolean isRefusal(Throwable failure) {
        if (!(failure instanceof AwsServiceException refusal)) {
            return false;
        }
        String code = codeOf(refusal);
        if (refusal.statusCode() >= 500 || refusal.isThrottlingException() || isPassing(code)) {
            return false;
        }
        return refusal.statusCode() == 401 || refusal.statusCode() == 403 || isRefused(code);
    }

    /** Whether a code says that rights are missing or credentials are wrong, whatever its status is. */
    static boolean isRefused(String code) {
        return REFUSED.contains(code);
    }

    /** Whether a code says that we ask too often, or something else that passes by itself, whatever its status is. */
    static boolean isPassing(@Nullable String code) {
        return code != null && (code.contains("Throttl") || PASSING.contains(code));
    }

    /** Empty where the answer has none, as the page of a proxy has none. */
    static String codeOf(AwsServiceException refusal) {
        AwsErrorDetails details = refusal.awsErrorDetails();
        return details == null ? "" : Objects.requireNonNullElse(details.errorCode(), "");
    }
}
