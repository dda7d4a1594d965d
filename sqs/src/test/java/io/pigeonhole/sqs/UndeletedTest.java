package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.sqs.Received.Delivery;
import io.pigeonhole.sqs.Undeleted.Entry;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.sqs.model.Message;

/** When a deletion is tried again, by a clock that stands still. */
@Tag("E5")
class UndeletedTest {
    private static final int MOST_WAITING = 20;

    private final AtomicLong now = new AtomicLong();
    private final Undeleted undeleted = new Undeleted(MOST_WAITING, now::get);
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start(
            "test",
            Inbox.builder("test", InMemoryStore.create())
                    .defaultType("text")
                    .handle("text", PayloadDecoder.text(), (text, context) -> {})
                    .build(),
            DeliverySettings.standard());

    @AfterEach
    void close() {
        deliveryThreads.close(Duration.ZERO);
    }

    private void add(String receipt) {
        add(receipt, Duration.ofHours(1));
    }

    private void add(String receipt, Duration hidden) {
        Message message = Message.builder().receiptHandle(receipt).build();
        new Received(List.of(message), hidden, deliveryThreads.open(), delivery -> {})
                .held()
                .forEach(undeleted::add);
    }

    private void addMany(int count) {
        for (int i = 0; i < count; i++) {
            add("r" + i);
        }
    }

    private List<Entry> take() throws InterruptedException {
        return undeleted.take(Duration.ZERO);
    }

    private void callFails(List<Entry> batch) {
        undeleted.callFailedFor(batch);
        undeleted.putDown();
    }

    private void failsFor(List<Entry> batch) {
        undeleted.failedFor(batch);
        undeleted.putDown();
    }

    private void after(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private static List<String> receipts(List<Entry> batch) {
        return batch.stream().map(Entry::delivery).map(Delivery::receipt).toList();
    }

    /** So many in a row that it is taken for what the next would do. */
    private void callsFail() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            callFails(awaitBatch());
        }
    }

    /** How long it takes until something may be tried again. */
    private Duration pause() throws InterruptedException {
        long from = now.get();
        List<Entry> batch = awaitBatch();
        callFails(batch);
        return Duration.ofNanos(now.get() - from);
    }

    private List<Entry> awaitBatch() throws InterruptedException {
        List<Entry> batch = take();
        for (int i = 0; i < 10_000 && batch.isEmpty(); i++) {
            after(Duration.ofMillis(10));
            batch = take();
        }
        assertThat(batch).isNotEmpty();
        return batch;
    }

    @Test
    void atMostTenAreTriedAtATimeTheOldestFirst() throws InterruptedException {
        addMany(12);
        assertThat(receipts(take())).containsExactly("r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9");
        assertThat(receipts(take())).containsExactly("r10", "r11");
        assertThat(undeleted.untried()).isZero();
        assertThat(undeleted.isEmpty()).as("they are in hand").isFalse();
    }

    @Test
    void pauseAfterCallsThatFailGrowsToFiveSeconds() throws InterruptedException {
        add("a");
        callFails(take());
        List<Duration> pauses = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            pauses.add(pause());
        }
        assertThat(pauses)
                .extracting(Duration::toMillis)
                .containsExactly(250L, 250L, 250L, 500L, 1_000L, 2_000L, 4_000L, 5_000L, 5_000L);
    }

    @Test
    void whileCallsFailNoneWaitsForAThread() throws InterruptedException {
        addMany(11);
        callFails(take());
        assertThat(undeleted.untried()).isOne();
        callsFail();
        add("new");
        assertThat(undeleted.untried()).isZero();
        assertThat(undeleted.size()).isEqualTo(12);
        assertThat(take()).isEmpty();
    }

    @Test
    void callThatFailsAmongOthersThatSucceedHoldsUpItsOwnMessagesOnly() throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            add("of a call that fails");
            callFails(take());
            add("good");
            assertThat(receipts(take())).containsExactly("good");
            failsFor(List.of());
        }
        assertThat(undeleted.size()).isEqualTo(10);
        after(Duration.ofMillis(250));
        assertThat(take()).hasSize(10);
    }

    @Test
    void callsThatFailSideBySideCountOnce() throws InterruptedException {
        addMany(20);
        callsFail();
        after(Duration.ofMillis(250));
        List<Entry> first = take();
        List<Entry> second = take();
        assertThat(second).isNotEmpty();
        callFails(first);
        callFails(second);
        assertThat(pause()).hasMillis(500);
        assertThat(pause()).hasMillis(1_000);
    }

    @Test
    void onceACallSucceedsAllAreTriedWithoutAPause() throws InterruptedException {
        addMany(20);
        callsFail();
        after(Duration.ofMillis(250));
        failsFor(List.of());
        List<String> tried = new ArrayList<>();
        for (List<Entry> batch = take(); !batch.isEmpty(); batch = take()) {
            tried.addAll(receipts(batch));
        }
        assertThat(tried).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void onceACallThatWasUnderWaySucceedsNewOnesAreTriedAtOnce() throws InterruptedException {
        addMany(20);
        List<Entry> underWay = take();
        callsFail();
        assertThat(take()).isEmpty();
        failsFor(List.of());
        add("new");
        assertThat(underWay).isNotEmpty();
        assertThat(receipts(take())).containsExactly("new");
    }

    @Test
    void messageThatFailsHoldsNoOtherUp() throws InterruptedException {
        add("bad");
        failsFor(take());
        add("good");
        assertThat(receipts(take())).containsExactly("good");
        after(Duration.ofMillis(250));
        assertThat(receipts(take())).containsExactly("bad");
    }

    @Test
    void pauseOfAMessageThatFailsGrowsToThirtySeconds() throws InterruptedException {
        add("a");
        failsFor(take());
        List<Duration> pauses = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            long from = now.get();
            List<Entry> batch = awaitBatch();
            pauses.add(Duration.ofNanos(now.get() - from));
            failsFor(batch);
        }
        assertThat(pauses)
                .extracting(Duration::toMillis)
                .containsExactly(250L, 500L, 1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 30_000L, 30_000L);
    }

    @Test
    void neitherNewOnesNorThoseThatWaitKeepTheOthersFromBeingTried() throws InterruptedException {
        addMany(10);
        failsFor(take());
        for (int i = 0; i < 10; i++) {
            add("new" + i);
        }
        after(Duration.ofSeconds(1));
        assertThat(receipts(take())).contains("r0", "new0");
    }

    @Test
    void whatMayBeGivenToSomebodyElseIsNotTriedAgain() throws InterruptedException {
        add("a", Duration.ZERO);
        callFails(take());
        assertThat(undeleted.isEmpty()).isFalse();
        after(Duration.ofMillis(250));
        assertThat(take()).isEmpty();
        assertThat(undeleted.isEmpty()).isTrue();
    }

    @Test
    void whereTooManyWaitTheOldestAreGivenUpAndThatIsToldOnce() throws InterruptedException {
        addMany(1);
        callsFail();
        addMany(MOST_WAITING - 1);
        assertThat(undeleted.isOverflowToBeReported()).isFalse();
        add("new");
        assertThat(undeleted.size()).isEqualTo(MOST_WAITING);
        assertThat(undeleted.isOverflowToBeReported()).isTrue();
        add("newer");
        assertThat(undeleted.size()).isEqualTo(MOST_WAITING);
        assertThat(undeleted.isOverflowToBeReported()).isFalse();
        after(Duration.ofSeconds(1));
        assertThat(receipts(take())).first().isEqualTo("r1");
    }

    @Test
    void whereItHasToHurryAllAreTriedAtOnce() throws InterruptedException {
        addMany(2);
        callFails(take());
        assertThat(take()).isEmpty();
        undeleted.hurry();
        assertThat(take()).hasSize(2);
    }
}
