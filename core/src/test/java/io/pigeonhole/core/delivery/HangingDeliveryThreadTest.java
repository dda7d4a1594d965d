package io.pigeonhole.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a delivery thread whose handler does not return. */
@Tag("B11")
class HangingDeliveryThreadTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Queue<Thread> inHandler = new ConcurrentLinkedQueue<>();
    private final Queue<Outcome> settled = new ConcurrentLinkedQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicBoolean isAway = new AtomicBoolean();
    private volatile boolean hangs = true;
    private volatile Consumer<Thread> listener = thread -> {};

    private final DeliveryThreads deliveryThreads = DeliveryThreads.start(
            "test",
            new BatchProcessor() {
                @Override
                public List<Outcome> process(List<Message> messages) {
                    if (isAway.getAndSet(false)) {
                        throw new StoreUnavailableException("away", null);
                    }
                    if (hangs) {
                        inHandler.add(Thread.currentThread());
                        awaitEnd();
                    }
                    return messages.stream()
                            .map(message -> (Outcome) new Outcome.Processed())
                            .toList();
                }

                @Override
                public Runnable whenHandlerHangs(Consumer<Thread> whenOneHangs) {
                    listener = whenOneHangs;
                    return () -> {};
                }

                @Override
                public void probe() {}
            },
            DeliverySettings.standard().concurrency(1));

    private void awaitEnd() {
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException e) {
                // As a call does that reads from a socket.
            }
        }
    }

    @AfterEach
    void close() {
        end.countDown();
        deliveryThreads.close(PATIENCE);
    }

    private void submit() {
        deliveryThreads
                .open()
                .submit(Message.builder("test").id("1").payload("x").build(), settled::add);
    }

    private void awaitInHandler(int threads) {
        await().atMost(PATIENCE).until(() -> inHandler.size() == threads);
    }

    /** As the node's watch does, every second. */
    private void tell() {
        inHandler.forEach(thread -> listener.accept(thread));
    }

    @Test
    void threadIsReplacedFourTimesAtMostAndGoesOnWhenTheHandlerReturns() {
        submit();
        for (int replaced = 0; replaced < 4; replaced++) {
            awaitInHandler(replaced + 1);
            tell();
        }
        awaitInHandler(5);
        tell();
        assertThat(inHandler).hasSize(5);

        hangs = false;
        end.countDown();
        await().atMost(PATIENCE).until(() -> settled.size() == 1);
        submit();
        await().atMost(PATIENCE).until(() -> settled.size() == 2);
    }

    @Test
    void handlerThatIsSlowBehindAnOutageIsNoOutage() {
        isAway.set(true);
        submit();
        await().atMost(PATIENCE).until(deliveryThreads::isWaiting);

        awaitInHandler(1);
        await().atMost(PATIENCE).until(() -> !deliveryThreads.isWaiting());
        assertThat(settled).isEmpty();
    }
}
