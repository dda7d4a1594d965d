package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.sqs.model.Message;

/** What a receive keeps in memory. */
class ReceivedTest {
    private volatile String slow = "";
    private final AtomicInteger handled = new AtomicInteger();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start(
            "test",
            Inbox.builder("test", InMemoryStore.create())
                    .defaultType("text")
                    .handle("text", PayloadDecoder.text(), (text, context) -> {
                        if (slow.isEmpty() || slow.equals(text)) {
                            mayEnd.await();
                        }
                        handled.incrementAndGet();
                    })
                    .build(),
            DeliverySettings.standard());
    private final MessageMapper mapper = new MessageMapper(
            "queue",
            "queue",
            new MessageMapper.Attributes("id", "type", "content-type", "content-encoding", "key"),
            IdFallback.TRANSPORT);

    @AfterEach
    void close() {
        mayEnd.countDown();
        deliveryThreads.close(Duration.ofSeconds(10));
    }

    private static List<Message> messages() {
        return IntStream.range(0, 10)
                .mapToObj(i -> Message.builder()
                        .messageId("m" + i)
                        .receiptHandle("r" + i)
                        .body("body " + i)
                        .build())
                .toList();
    }

    private Received submitted(List<Message> messages) {
        Received received = new Received(messages, Duration.ofMinutes(1), deliveryThreads.open(), delivery -> {});
        received.submit(mapper);
        return received;
    }

    /** Or else one slow message would keep the bodies of the nine that came with it. */
    @Test
    void keepsNoMessageOfTheClientThatIsSubmitted() {
        List<Message> messages = messages();
        List<WeakReference<Message>> kept =
                messages.stream().map(WeakReference::new).toList();
        Received received = submitted(messages);
        messages = List.of();

        await().untilAsserted(() -> {
            System.gc();
            assertThat(kept).allMatch(reference -> reference.refersTo(null));
        });
        assertThat(received.isOver()).isFalse();
        assertThat(messages).isEmpty();
    }

    /** A quarter of all that comes later would wait behind it, until nothing is received any more. */
    @Test
    void oneSlowMessageWithoutAKeyCollectsNoOthersBehindIt() {
        slow = "body 0";
        Received first = submitted(messages().subList(0, 1));
        for (int i = 1; i < 10; i++) {
            int number = i;
            Received next = submitted(messages().subList(i, i + 1));
            await().untilAsserted(() -> assertThat(handled).hasValue(number));
            await().until(next::isOver);
        }
        assertThat(first.isOver()).isFalse();
    }
}
