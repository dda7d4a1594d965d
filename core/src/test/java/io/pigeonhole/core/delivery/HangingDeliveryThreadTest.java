package io.pigeonhole.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
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
    private final Map<Thread, CountDownLatch> ends = new ConcurrentHashMap<>();
    private final Map<Thread, Boolean> answers = new ConcurrentHashMap<>();
    private volatile Predicate<Thread> listener = thread -> true;

    private final class Inbox implements BatchProcessor {
        @Override
        public List<Outcome> process(List<Message> messages) {
            if (isAway.getAndSet(false)) {
                throw new StoreUnavailableException("away", null);
            }
            if (hangs && messages.stream().anyMatch(message -> "1".equals(String.valueOf(message.id())))) {
                inHandler.add(Thread.currentThread());
                awaitEnd();
            }
            return messages.stream()
                    .map(message -> (Outcome) new Outcome.Processed())
                    .toList();
        }

        @Override
        public Runnable whenHandlerHangs(Predicate<Thread> whenOneHangs) {
            listener = whenOneHangs;
            return () -> {};
        }

        @Override
        public void probe() {}
    }

    private DeliveryThreads deliveryThreads = threads(1);

    private DeliveryThreads threads(int concurrency) {
        return DeliveryThreads.start(
                "test", new Inbox(), DeliverySettings.standard().concurrency(concurrency));
    }

    private void awaitEnd() {
        CountDownLatch own = ends.computeIfAbsent(Thread.currentThread(), thread -> new CountDownLatch(1));
        while (end.getCount() > 0 && own.getCount() > 0) {
            try {
                own.await();
            } catch (InterruptedException e) {
                // As a call does that reads from a socket.
            }
        }
    }

    private void letAllGo() {
        end.countDown();
        ends.values().forEach(CountDownLatch::countDown);
    }

    @AfterEach
    void close() {
        letAllGo();
        deliveryThreads.close(PATIENCE);
    }

    private void submit() {
        submit("1");
    }

    private void submit(String id) {
        deliveryThreads
                .open()
                .submit(Message.builder("test").id(id).payload("x").build(), settled::add);
    }

    private void awaitInHandler(int threads) {
        await().atMost(PATIENCE).until(() -> inHandler.size() == threads);
    }

    /** As the node's watch does, every second. */
    private void tell() {
        inHandler.forEach(thread -> answers.put(thread, listener.test(thread)));
    }

    @Test
    void threadIsReplacedSixteenTimesAtMostSaysSoAndGoesOnWhenTheHandlerReturns() {
        submit();
        for (int replaced = 0; replaced < 16; replaced++) {
            awaitInHandler(replaced + 1);
            tell();
        }
        awaitInHandler(17);
        assertThat(deliveryThreads.failure()).isNull();
        tell();
        assertThat(inHandler).hasSize(17);
        assertThat(inHandler).extracting(Thread::getName).doesNotHaveDuplicates();
        assertThat(deliveryThreads.failure()).hasMessageContaining("17 threads").hasMessageContaining("1 messages");

        hangs = false;
        letAllGo();
        await().atMost(PATIENCE).until(() -> settled.size() == 1);
        await().atMost(PATIENCE).until(() -> deliveryThreads.failure() == null);
        submit();
        await().atMost(PATIENCE).until(() -> settled.size() == 2);
    }

    @Test
    void threadThatReturnsWithoutHavingBeenReplacedIsNoFailureAnyMoreAlthoughOthersHang() {
        submit();
        for (int replaced = 0; replaced < 16; replaced++) {
            awaitInHandler(replaced + 1);
            tell();
        }
        awaitInHandler(17);
        tell();
        Thread last = inHandler.stream()
                .filter(thread -> Boolean.FALSE.equals(answers.get(thread)))
                .findFirst()
                .orElseThrow();
        assertThat(answers.values().stream().filter(answer -> !answer)).hasSize(1);
        assertThat(deliveryThreads.failure()).isNotNull();

        hangs = false;
        Objects.requireNonNull(ends.get(last)).countDown();
        await().atMost(PATIENCE).until(() -> settled.size() == 1);
        assertThat(deliveryThreads.failure()).isNull();
        submit();
        await().atMost(PATIENCE).until(() -> settled.size() == 2);
    }

    @Test
    void messagesWithoutAKeyGoToTheOtherThreads() {
        deliveryThreads.close(PATIENCE);
        deliveryThreads = threads(2);
        submit();
        for (int replaced = 0; replaced < 17; replaced++) {
            awaitInHandler(replaced + 1);
            tell();
        }
        assertThat(deliveryThreads.failure()).isNotNull();

        for (int i = 2; i < 100; i++) {
            submit("" + i);
        }

        await().atMost(PATIENCE).until(() -> settled.size() == 98);
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
