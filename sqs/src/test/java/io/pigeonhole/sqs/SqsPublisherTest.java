package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publication.Confirmed;
import io.pigeonhole.core.relay.Publication.Refused;
import io.pigeonhole.core.relay.Publication.Unavailable;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.GetQueueUrlRequest;
import software.amazon.awssdk.services.sqs.model.GetQueueUrlResponse;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequest;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResultEntry;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** What becomes of messages, by what SQS answers. */
class SqsPublisherTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String BAD = "bad";

    private final Client client = new Client();
    private final SqsPublisher publisher = SqsPublisher.of(client, "notes");

    /** Takes everything but what is {@link #BAD}. */
    private static final class Client implements SqsClient {
        private final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
        private final AtomicInteger lookUps = new AtomicInteger();
        private volatile Function<SendMessageBatchRequest, SendMessageBatchResponse> answer =
                request -> response(request, entry -> null);

        @Override
        public GetQueueUrlResponse getQueueUrl(GetQueueUrlRequest request) {
            lookUps.incrementAndGet();
            return GetQueueUrlResponse.builder()
                    .queueUrl("http://here/" + request.queueName())
                    .build();
        }

        @Override
        public SendMessageBatchResponse sendMessageBatch(SendMessageBatchRequest request) {
            assertThat(request.queueUrl()).isEqualTo("http://here/notes");
            sizes.add(request.entries().size());
            return answer.apply(request);
        }

        @Override
        public String serviceName() {
            return "sqs";
        }

        @Override
        public void close() {}
    }

    private static SendMessageBatchResponse response(
            SendMessageBatchRequest request, Function<SendMessageBatchRequestEntry, BatchResultErrorEntry> failures) {
        List<BatchResultErrorEntry> failed = request.entries().stream()
                .map(entry -> isBad(entry) ? failures.apply(entry) : null)
                .filter(failure -> failure != null)
                .toList();
        List<String> failedIds = failed.stream().map(BatchResultErrorEntry::id).toList();
        return SendMessageBatchResponse.builder()
                .successful(request.entries().stream()
                        .map(SendMessageBatchRequestEntry::id)
                        .filter(id -> !failedIds.contains(id))
                        .map(id -> SendMessageBatchResultEntry.builder().id(id).build())
                        .toList())
                .failed(failed)
                .build();
    }

    private static boolean isBad(SendMessageBatchRequestEntry entry) {
        return entry.messageBody().equals(BAD);
    }

    private static SqsException exception(int status, String code) {
        return (SqsException) SqsException.builder()
                .statusCode(status)
                .message(code)
                .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).build())
                .build();
    }

    private static List<Message> messages(String... payloads) {
        return IntStream.range(0, payloads.length)
                .mapToObj(i -> Message.builder("sent")
                        .id("m" + i)
                        .type("t")
                        .payload(payloads[i])
                        .build())
                .toList();
    }

    private void answerWith(BatchResultErrorEntry.Builder failure) {
        client.answer =
                request -> response(request, entry -> failure.id(entry.id()).build());
    }

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void requestsHaveTenMessagesAtMostAndTheQueueIsLookedUpOnce() {
        String[] payloads = new String[25];
        Arrays.fill(payloads, "x");
        assertThat(publisher.publish(messages(payloads), LONG)).hasSize(25).containsOnly(Publication.CONFIRMED);
        assertThat(client.sizes).containsExactlyInAnyOrder(10, 10, 5);
        assertThat(publisher.publish(messages("x"), LONG)).containsOnly(Publication.CONFIRMED);
        assertThat(client.lookUps.get()).isBetween(1, 3);
    }

    @Test
    void requestsAreNoLargerThanTheyMayBe() {
        String half = "x".repeat(128 << 10);
        String alone = "x".repeat(600 << 10);
        assertThat(publisher.publish(messages(half, half, alone, "x", "y"), LONG))
                .containsOnly(Publication.CONFIRMED);
        assertThat(client.sizes).containsExactlyInAnyOrder(1, 1, 1, 2);
    }

    @ParameterizedTest
    @CsvSource({
        "true, InvalidMessageContents, true",
        "true, ThrottlingException, false",
        "true, AccessDenied, false",
        "true, KmsThrottled, false",
        "true, AWS.SimpleQueueService.NonExistentQueue, false",
        "false, InternalError, false"
    })
    void messageThatFailsAloneIsRefusedWhereItIsItsOwnFault(boolean senderFault, String code, boolean refused) {
        answerWith(BatchResultErrorEntry.builder()
                .senderFault(senderFault)
                .code(code)
                .message("why"));
        assertThat(publisher.publish(messages("a", BAD, "b"), LONG))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Confirmed.class),
                        second -> assertThat(second).isInstanceOf(refused ? Refused.class : Unavailable.class),
                        third -> assertThat(third).isInstanceOf(Confirmed.class));
    }

    @Test
    void requestThatIsRefusedForOneOfItsMessagesIsSentOneByOne() {
        client.answer = request -> {
            if (request.entries().stream().anyMatch(SqsPublisherTest::isBad)) {
                throw exception(400, "InvalidParameterValue");
            }
            return response(request, entry -> null);
        };
        assertThat(publisher.publish(messages("a", BAD, "b"), LONG))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Confirmed.class),
                        second -> assertThat(second).isInstanceOf(Refused.class),
                        third -> assertThat(third).isInstanceOf(Confirmed.class));
        assertThat(client.sizes).containsExactly(3, 1, 1, 1);
    }

    @ParameterizedTest
    @CsvSource({
        "400, AWS.SimpleQueueService.NonExistentQueue",
        "400, QueueDoesNotExist",
        "400, RequestThrottled",
        "400, KmsDisabled",
        "400, ExpiredToken",
        "403, AccessDenied",
        "500, InternalError",
        "503, ServiceUnavailable"
    })
    void requestThatIsRefusedForNoMessageIsUnavailable(int status, String code) {
        client.answer = request -> {
            throw exception(status, code);
        };
        assertThat(publisher.publish(messages("a", "b"), LONG))
                .hasSize(2)
                .allMatch(outcome -> outcome instanceof Unavailable);
        assertThat(client.sizes).containsExactly(2);
    }

    @Test
    void messageOfWhichTheAnswerSaysNothingIsUnavailable() {
        client.answer = request -> SendMessageBatchResponse.builder()
                .successful(List.of())
                .failed(List.of())
                .build();
        assertThat(publisher.publish(messages("a"), LONG)).singleElement().isInstanceOf(Unavailable.class);
    }

    @Test
    void requestThatIsNotAnsweredInTimeIsGivenUp() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        client.answer = request -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            throw exception(500, "InternalError");
        };
        assertThat(publisher.publish(messages("a", "b"), Duration.ofMillis(100)))
                .hasSize(2)
                .allMatch(outcome -> outcome instanceof Unavailable);
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closedPublisherIsUnavailable() {
        publisher.close();
        assertThat(publisher.publish(messages("a"), LONG))
                .singleElement()
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        unavailable -> assertThat(unavailable.cause()).hasMessageContaining("closed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "arn:aws:sqs:eu-central-1:123456789012:notes"})
    void whatIsNeitherANameNorAnUrlIsRefused(String queue) {
        assertThatThrownBy(() -> SqsPublisher.of(client, queue))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("queue");
    }

    @Test
    void settingsThatContradictAreRefused() {
        assertThatThrownBy(
                        () -> SqsPublisher.builder(client, "notes").requests(0).build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("requests");
        assertThatThrownBy(() -> SqsPublisher.builder(client, "notes")
                        .idAttribute("message-type")
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("message-type");
        assertThat(publisher.name()).isEqualTo("SQS queue notes");
    }
}
