package io.pigeonhole.core.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A message that is not finished keeps the others from being taken for as short as may be, and a source that takes none says so. */
@Tag("E15")
class FullnessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Outcome PROCESSED = new Outcome.Processed();
    private static final Outcome BUSY = new Outcome.Busy("a duplicate is in flight");

    private final AtomicLong clock = new AtomicLong();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch slow = new CountDownLatch(1);
    private final AtomicBoolean locked = new AtomicBoolean(true);
    private final AtomicBoolean away = new AtomicBoolean(true);
    private final Queue<String> settled = new ConcurrentLinkedQueue<>();
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start(
            "test",
            new BatchProcessor() {
                @Override
                public List<Outcome> process(List<Message> messages) {
                    return messages.stream().map(FullnessTest.this::processed).toList();
                }

                @Override
                public void probe() {
                    // It is always there.
                }
            },
            DeliverySettings.standard()
                    .concurrency(2)
                    .maxUnfinished(10, 1 << 20)
                    .maxBatch(1),
            clock::get);
    private final DeliveryGroup group = deliveryThreads.open();

    private Outcome processed(Message message) {
        String id = String.valueOf(message.id());
        if (id.startsWith("away") && away.get()) {
            throw new StoreUnavailableException("the database is away", null);
        }
        if (id.startsWith("slow")) {
            slow.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return id.startsWith("locked") && locked.get() ? BUSY : PROCESSED;
    }

    @AfterEach
    void close() {
        goOn.countDown();
        deliveryThreads.close(PATIENCE);
    }

    private void submit(String id, String key) {
        Message message =
                Message.builder("notes").id(id).orderingKey(key).payload("1").build();
        group.submit(message, outcome -> settled.add(id));
    }

    /** So many for one of the threads, and the key of the other. */
    private String fill(String first, int count) {
        String key = "a";
        submit(first, key);
        IntStream.range(1, count).forEach(i -> submit(first + " " + i, key));
        int other = OrderingKey.partition(key.getBytes(UTF_8), 2);
        return IntStream.range(0, 100)
                .mapToObj(i -> "b" + i)
                .filter(each -> OrderingKey.partition(each.getBytes(UTF_8), 2) != other)
                .findFirst()
                .orElseThrow();
    }

    private void awaitSettled(int count) {
        await().atMost(PATIENCE).until(() -> settled.size() == count && deliveryThreads.load() <= 0.9);
    }

    @Test
    void threadWithNothingToDoTakesMoreAlthoughTheOtherHasMostOfWhatMayBeUnfinished() {
        String other = fill("slow", 8);
        submit("1", other);
        submit("2", other);
        awaitSettled(2);
        assertThat(deliveryThreads.isFull()).isFalse();
        submit("3", other);
        submit("4", other);
        awaitSettled(4);
        assertThat(deliveryThreads.isFull()).isFalse();
    }

    @Test
    void whileAllHaveSomethingToDoItIsFullUntilHalfIsFinished() {
        fill("slow", 5);
        String other = fill("slow", 4);
        submit("slow too", other);
        assertThat(deliveryThreads.isFull()).isTrue();
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> settled.size() == 10);
        await().atMost(PATIENCE).until(() -> !deliveryThreads.isFull());
    }

    /** A batch of many messages may take longer than a minute, and is at work all the time. */
    @Test
    void nothingFinishedForFiveMinutesIsAProblemThatNamesTheHandlersMessage() {
        fill("slow", 10);
        await().atMost(PATIENCE)
                .until(() -> String.valueOf(deliveryThreads.unfinished(group)).equals("null"));
        assertThat(deliveryThreads.isFull()).isTrue();
        clock.addAndGet(Duration.ofMinutes(5).minusSeconds(1).toNanos());
        assertThat(deliveryThreads.isFull()).isTrue();
        assertThat(deliveryThreads.problem()).isNull();
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(deliveryThreads.problem())
                .contains("10 are unfinished, and for 300 s none", "in work", "message slow", "needs a timeout");
        assertThat(deliveryThreads.unfinished(deliveryThreads.open())).isNull();
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> deliveryThreads.problem() == null);
        assertThat(deliveryThreads.isFull()).isFalse();
    }

    @Test
    void whileTheDatabaseIsAwayNothingStandsStill() {
        fill("away", 10);
        await().atMost(PATIENCE).until(deliveryThreads::isWaiting);
        assertThat(deliveryThreads.isFull()).isTrue();
        clock.addAndGet(Duration.ofMinutes(10).toNanos());
        assertThat(deliveryThreads.isFull()).isTrue();
        assertThat(deliveryThreads.problem()).contains("the database is away");
        away.set(false);
        await().atMost(PATIENCE).until(() -> settled.size() == 10);
    }

    @Test
    void threadThatHasOnlyWhatIsBusyTakesMore() {
        fill("locked", 8);
        await().atMost(PATIENCE)
                .until(() -> String.valueOf(deliveryThreads.unfinished(group)).contains("busy"));
        submit("more 1", "c");
        submit("more 2", "d");
        awaitSettled(2);
        await().atMost(PATIENCE).until(() -> !deliveryThreads.isFull());
    }

    @Test
    void nothingFinishedForAMinuteIsAProblemThatNamesTheBusyMessage() {
        fill("locked", 10);
        assertThat(deliveryThreads.isFull()).isTrue();
        clock.addAndGet(Duration.ofSeconds(61).toNanos());
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(deliveryThreads.problem())
                        .contains("10 are unfinished, and for 61 s none", "busy: message locked"));
        locked.set(false);
        await().atMost(PATIENCE).until(() -> settled.size() == 10);
        assertThat(deliveryThreads.problem()).isNull();
    }

    /** However long another batch of the same thread is in work. */
    @Test
    void whatWaitsForABusyMessageOfAnotherGroupNamesIt() {
        fill("locked", 2);
        DeliveryGroup other = deliveryThreads.open();
        other.submit(
                Message.builder("others")
                        .id("behind")
                        .orderingKey("a")
                        .payload("1")
                        .build(),
                outcome -> settled.add("behind"));
        await().atMost(PATIENCE)
                .until(() -> String.valueOf(deliveryThreads.unfinished(other)).contains("busy: message locked"));
        String sameThread = IntStream.range(0, 100)
                .mapToObj(i -> "b" + i)
                .filter(each ->
                        OrderingKey.partition(each.getBytes(UTF_8), 2) == OrderingKey.partition("a".getBytes(UTF_8), 2))
                .findFirst()
                .orElseThrow();
        submit("slow", sameThread);
        await().atMost(PATIENCE).until(() -> slow.getCount() == 0);
        clock.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(deliveryThreads.unfinished(other)).contains("busy: message locked");
    }

    @Test
    void oneThatIsFinishedBeginsTheMinuteAnew() {
        String other = fill("locked", 10);
        assertThat(deliveryThreads.isFull()).isTrue();
        clock.addAndGet(Duration.ofSeconds(59).toNanos());
        submit("more", other);
        await().atMost(PATIENCE).until(() -> settled.size() == 1);
        assertThat(deliveryThreads.isFull()).isTrue();
        clock.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(deliveryThreads.problem()).isNull();
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        await().atMost(PATIENCE).until(() -> deliveryThreads.problem() != null);
    }
}
