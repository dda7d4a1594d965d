package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.sqs.model.Message;

/** What keeps messages hidden that are received and not settled. */
@Tag("E11")
class InFlightTest {
    private static final Duration VISIBILITY = Duration.ofSeconds(3);

    private final FakeQueue fake = new FakeQueue();
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start(
            "test",
            Inbox.builder("test", InMemoryStore.create())
                    .handle("text", PayloadDecoder.text(), (text, context) -> {})
                    .build(),
            DeliverySettings.standard());
    private final InFlight inFlight = new InFlight(
            "test",
            new SqsQueue(fake, "http://queue", VISIBILITY, Duration.ofSeconds(1)),
            VISIBILITY,
            Duration.ofMinutes(10),
            1,
            new CallFailures("keeping messages hidden", System::nanoTime));

    @AfterEach
    void close() {
        inFlight.close();
        deliveryThreads.close(Duration.ofSeconds(10));
    }

    private Received received(int number) {
        Message message = Message.builder()
                .messageId("m" + number)
                .receiptHandle("r" + number)
                .body("x")
                .build();
        return new Received(List.of(message), VISIBILITY, deliveryThreads.open(), delivery -> {});
    }

    /** One by one, thousands of messages that came one by one would be given to others before it is their turn. */
    @Test
    void messagesThatCameOneByOneAreKeptHiddenTenInACall() {
        for (int i = 0; i < 25; i++) {
            assertThat(inFlight.take(received(i))).isTrue();
        }
        Thread heartbeat = new Thread(inFlight);
        heartbeat.start();

        await().until(() -> fake.changed.size() >= 3);
        assertThat(fake.changed).startsWith(10, 10, 5);
    }
}
