package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.sqs.Received.Delivery;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.Message;

/** Of whom SQS says that it is our fault. */
class BatchResultTest {
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start(
            "test",
            Inbox.builder("test", InMemoryStore.create())
                    .handle("text", PayloadDecoder.text(), (text, context) -> {})
                    .build(),
            DeliverySettings.standard());
    private final List<Delivery> asked = new Received(
                    List.of(Message.builder().messageId("m").receiptHandle("r").build()),
                    Duration.ofMinutes(1),
                    deliveryThreads.open(),
                    delivery -> {})
            .held();

    @AfterEach
    void close() {
        deliveryThreads.close(Duration.ofSeconds(10));
    }

    private BatchResult fails(String code, boolean senderFault) {
        return new BatchResult(
                asked,
                List.of(BatchResultErrorEntry.builder()
                        .id("0")
                        .code(code)
                        .senderFault(senderFault)
                        .build()));
    }

    @Test
    void messageThatIsNoLongerOursIsLost() {
        BatchResult result = fails("ReceiptHandleIsInvalid", true);
        assertThat(result.lost()).isEqualTo(asked);
        assertThat(result.unanswered()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RequestThrottled",
                "KmsThrottled",
                "Throttling",
                "ThrottlingException",
                "RequestThrottledException",
                "OverLimit",
                "SlowDown",
                "TooManyRequestsException"
            })
    void messageForWhichSqsThrottlesIsStillOursWhoeverHasTheFault(String code) {
        BatchResult result = fails(code, true);
        assertThat(result.lost()).isEmpty();
        assertThat(result.unanswered()).isEqualTo(asked);
    }

    @Test
    void faultOfSqsLosesNothing() {
        assertThat(fails("InternalError", false).unanswered()).isEqualTo(asked);
        assertThat(fails("InternalError", false).lost()).isEmpty();
    }
}
