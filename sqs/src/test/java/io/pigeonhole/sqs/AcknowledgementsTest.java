package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;

/** Deletions by a clock that hardly moves, so that none is tried again. */
@Tag("E5")
class AcknowledgementsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final FakeQueue queue = new FakeQueue();
    private final AtomicLong now = new AtomicLong();
    private final AtomicBoolean hasNoMemory = new AtomicBoolean(true);
    private final CallFailures callFailures = new CallFailures("deleting", this::clockOfTheFailures);
    private final Acknowledgements acknowledgements = new Acknowledgements(
            "test",
            new SqsQueue(queue, "https://queues/" + FakeQueue.NAME, Duration.ofMinutes(1), Duration.ofSeconds(1)),
            callFailures,
            now::incrementAndGet);
    private final Thread deleter = new Thread(acknowledgements);
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start(
            "test",
            Inbox.builder("test", InMemoryStore.create())
                    .defaultType("text")
                    .handle("text", PayloadDecoder.text(), (text, context) -> {})
                    .build(),
            DeliverySettings.standard());

    private long clockOfTheFailures() {
        if (hasNoMemory.getAndSet(false)) {
            throw new OutOfMemoryError("for a moment");
        }
        return 0;
    }

    @AfterEach
    void close() throws InterruptedException {
        acknowledgements.giveUp();
        deleter.join(PATIENCE.toMillis());
        deliveryThreads.close(Duration.ZERO);
    }

    @Test
    void errorWhileTheAnswerOfSqsIsReportedDoesNotCountTheCallAsFailed() {
        queue.deletions = id -> BatchResultErrorEntry.builder()
                .code("InternalError")
                .senderFault(false)
                .build();
        queue.send("a", "g");
        var messages =
                queue.receiveMessage(ReceiveMessageRequest.builder().build()).messages();
        new Received(messages, Duration.ofHours(12), deliveryThreads.open(), delivery -> {})
                .held()
                .forEach(acknowledgements::add);

        deleter.start();

        await().atMost(PATIENCE).until(() -> callFailures.problem() != null);
        assertThat(callFailures.problem()).contains("for a moment");
        assertThat(acknowledgements.size()).isEqualTo(1);
    }
}
