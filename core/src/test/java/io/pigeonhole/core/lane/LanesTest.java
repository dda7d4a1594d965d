package io.pigeonhole.core.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One long class, because its tests share one set of lanes, an inbox that a test steers, and what both have seen. */
class LanesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Outcome PROCESSED = new Outcome.Processed();
    private static final Outcome BUSY = new Outcome.Busy("a duplicate is in flight");

    private final List<Lanes> started = new ArrayList<>();
    private final Queue<String> settled = new ConcurrentLinkedQueue<>();
    private final Queue<List<String>> batches = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean storeIsUp = new AtomicBoolean(true);
    private final AtomicInteger probes = new AtomicInteger();

    /** Records its batches, and answers as the test says. */
    private BatchProcessor inbox(Function<List<String>, List<Outcome>> answer) {
        return new BatchProcessor() {
            @Override
            public List<Outcome> process(List<Message> messages) {
                List<String> ids = messages.stream().map(LanesTest::idOf).toList();
                batches.add(ids);
                return answer.apply(ids);
            }

            @Override
            public void probe() {
                requireStore();
            }
        };
    }

    private void requireStore() {
        probes.incrementAndGet();
        if (!storeIsUp.get()) {
            throw new StoreUnavailableException("the database is away", null);
        }
    }

    private static List<Outcome> processed(List<String> ids) {
        return ids.stream().map(id -> PROCESSED).toList();
    }

    private static String idOf(Message message) {
        return String.valueOf(message.id());
    }

    private Lanes start(LaneSettings settings, BatchProcessor inbox) {
        Lanes lanes = Lanes.start("test", inbox, settings);
        started.add(lanes);
        return lanes;
    }

    private static LaneSettings oneLane() {
        return LaneSettings.standard().lanes(1);
    }

    private void submit(DeliveryGroup group, String id, String key) {
        group.submit(message(id, key), 0, outcome -> settled.add(id));
    }

    private static Message message(String id, String key) {
        Message.Builder builder = Message.builder("test").id(id).payload("12345678");
        return key.isEmpty() ? builder.build() : builder.orderingKey(key).build();
    }

    private void awaitSettled(String... ids) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(settled).contains(ids));
    }

    @AfterEach
    void stopLanes() {
        storeIsUp.set(true);
        started.forEach(lanes -> lanes.close(PATIENCE));
    }

    @Test
    void messageWithoutKeyGoesIntoTheLaneThatHasTheLeastToDo() {
        CountDownLatch goOn = new CountDownLatch(1);
        Lanes lanes = start(LaneSettings.standard().lanes(2), inbox(ids -> {
            if (ids.contains("slow")) {
                awaitLatch(goOn);
            }
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        group.submit(message("slow", ""), outcome -> settled.add("slow"));
        for (int i = 0; i < 100; i++) {
            String id = "" + i;
            group.submit(message(id, ""), outcome -> settled.add(id));
            // The slow one is the only one left.
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> settled.contains(id) && lanes.load() * 8_000 <= 1);
        }
        assertThat(settled).hasSize(100).doesNotContain("slow");
        goOn.countDown();
        awaitSettled("slow");
        await().atMost(PATIENCE).until(() -> lanes.load() == 0);
    }

    @Test
    void keyDecidesAboutTheLaneAlsoWhereAnotherHasLessToDo() {
        CountDownLatch goOn = new CountDownLatch(1);
        Lanes lanes = start(LaneSettings.standard(), inbox(ids -> {
            awaitLatch(goOn);
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        List<String> ids = IntStream.range(0, 50).mapToObj(String::valueOf).toList();
        ids.forEach(id -> group.submit(message(id, "one key"), outcome -> settled.add(id)));
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> settled.size() == 50);
        assertThat(settled).containsExactlyElementsOf(ids);
    }

    @Test
    void eachMessageIsSettledOnceAndMessagesOfOneKeyInTheirOrder() {
        Lanes lanes = start(LaneSettings.standard(), inbox(LanesTest::processed));
        DeliveryGroup group = lanes.open();
        int keys = 20;
        int messages = 2_000;
        for (int i = 0; i < messages; i++) {
            submit(group, "" + i, "key " + i % keys);
        }
        await().atMost(PATIENCE).until(() -> settled.size() == messages);
        assertThat(settled).doesNotHaveDuplicates();
        for (int key = 0; key < keys; key++) {
            int wanted = key;
            assertThat(settled.stream().map(Integer::valueOf).filter(i -> i % keys == wanted))
                    .isSorted();
        }
        assertThat(lanes.load()).isZero();
    }

    @Test
    void messagesWithoutAKeyShareTheLaneOfTheirFallback() {
        Map<String, String> threadById = new ConcurrentHashMap<>();
        Lanes lanes = start(LaneSettings.standard(), inbox(ids -> {
            ids.forEach(id -> threadById.put(id, Thread.currentThread().getName()));
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        for (int i = 0; i < 100; i++) {
            group.submit(message("" + i, ""), i % 2, outcome -> {});
        }
        await().atMost(PATIENCE).until(() -> threadById.size() == 100);
        for (int i = 0; i < 100; i++) {
            assertThat(threadById.get("" + i)).isEqualTo(threadById.get("" + i % 2));
        }
    }

    @Test
    void keysAreSpreadOverAllLanes() {
        Queue<String> threads = new ConcurrentLinkedQueue<>();
        Lanes lanes = start(LaneSettings.standard(), inbox(ids -> {
            threads.add(Thread.currentThread().getName());
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        IntStream.range(0, 100).forEach(i -> submit(group, "" + i, "" + i));
        await().atMost(PATIENCE).until(() -> settled.size() == 100);
        assertThat(threads.stream().distinct()).hasSize(4);
    }

    @Test
    void whatWaitsBecomesOneBatchUpToTheLimit() throws InterruptedException {
        CountDownLatch firstIsInWork = new CountDownLatch(1);
        CountDownLatch firstMayEnd = new CountDownLatch(1);
        Lanes lanes = start(oneLane().maxBatch(10), inbox(ids -> {
            firstIsInWork.countDown();
            awaitLatch(firstMayEnd);
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        submit(group, "first", "k");
        assertThat(firstIsInWork.await(10, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 25; i++) {
            submit(group, "" + i, "k");
        }
        firstMayEnd.countDown();
        await().atMost(PATIENCE).until(() -> settled.size() == 26);
        assertThat(batches.stream().map(List::size)).containsExactly(1, 10, 10, 5);
    }

    @Test
    void busyMessageIsHandedInAgainAndNothingOfItsKeyOvertakesIt() {
        AtomicBoolean duplicateIsInFlight = new AtomicBoolean(true);
        Lanes lanes = start(
                oneLane(),
                inbox(ids -> ids.stream()
                        .map(id -> id.equals("a1") && duplicateIsInFlight.get() ? BUSY : PROCESSED)
                        .toList()));
        DeliveryGroup group = lanes.open();
        submit(group, "a1", "a");
        await().atMost(PATIENCE).until(() -> !batches.isEmpty());
        submit(group, "a2", "a");
        submit(group, "b1", "b");
        submit(group, "a3", "a");
        submit(group, "c1", "");
        awaitSettled("b1", "c1");
        await().atMost(PATIENCE)
                .until(() -> batches.stream().filter(List.of("a1")::equals).count() > 2);
        assertThat(settled).containsExactlyInAnyOrder("b1", "c1");
        assertThat(lanes.isWaiting()).isFalse();
        duplicateIsInFlight.set(false);
        awaitSettled("a1", "a2", "a3");
        assertThat(settled).containsSubsequence("a1", "a2", "a3");
        assertThat(lanes.load()).isZero();
    }

    @Test
    void whileTheDatabaseIsAwayTheSameMessagesAreKept() {
        storeIsUp.set(false);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            requireStore();
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        submit(group, "1", "a");
        await().atMost(PATIENCE).until(lanes::isWaiting);
        submit(group, "2", "a");
        assertThat(settled).isEmpty();
        storeIsUp.set(true);
        awaitSettled("1", "2");
        assertThat(lanes.isWaiting()).isFalse();
        assertThat(batches).containsExactly(List.of("1"), List.of("1"), List.of("2"));
    }

    @Test
    void defectsOfTheInboxSkipNothing() {
        Queue<Throwable> defects = new ConcurrentLinkedQueue<>(
                List.of(new IllegalStateException("a defect"), new StackOverflowError("another")));
        Lanes lanes = start(oneLane(), inbox(ids -> {
            Throwable defect = defects.poll();
            if (defect instanceof Error e) {
                throw e;
            }
            if (defect instanceof RuntimeException e) {
                throw e;
            }
            return processed(ids);
        }));
        submit(lanes.open(), "1", "a");
        await().atMost(PATIENCE).until(() -> !batches.isEmpty());
        assertThat(lanes.isWaiting()).as("the database is not to blame").isFalse();
        awaitSettled("1");
        assertThat(batches).hasSize(3);
    }

    @Test
    void outcomesThatDoNotMatchTheMessagesSettleNothing() {
        AtomicInteger calls = new AtomicInteger();
        Lanes lanes = start(oneLane(), inbox(ids -> calls.incrementAndGet() == 1 ? List.of() : processed(ids)));
        submit(lanes.open(), "1", "a");
        awaitSettled("1");
        assertThat(calls).hasValue(2);
    }

    @Test
    @Tag("B2")
    void messageThatTheInboxFailsAtHoldsBackNothingButItsOwnKey() {
        AtomicBoolean poisoned = new AtomicBoolean(true);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            if (poisoned.get() && ids.contains("poison")) {
                throw new OutOfMemoryError("at the poison");
            }
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        submit(group, "before", "a");
        submit(group, "poison", "b");
        submit(group, "behind", "b");
        for (int i = 0; i < 50; i++) {
            submit(group, "" + i, "key " + i);
        }
        await().atMost(PATIENCE).until(() -> settled.size() == 51);
        assertThat(settled).doesNotContain("poison", "behind");
        assertThat(lanes.isWaiting()).as("the database is not to blame").isFalse();

        poisoned.set(false);
        awaitSettled("poison", "behind");
        assertThat(settled).containsSubsequence("poison", "behind").doesNotHaveDuplicates();
    }

    @Test
    @Tag("B2")
    void messagesThatTheInboxFailsAtHoldBackNothingHoweverManyTheyAre() {
        Lanes lanes = start(oneLane(), inbox(ids -> {
            if (ids.stream().anyMatch(id -> id.startsWith("poison"))) {
                throw new IllegalStateException("at a poison");
            }
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        submit(group, "before", "a");
        for (int i = 0; i < 5; i++) {
            submit(group, "poison " + i, "poison " + i);
        }
        for (int i = 0; i < 20; i++) {
            submit(group, "" + i, "key " + i);
        }
        await().atMost(PATIENCE).until(() -> settled.size() == 21);
    }

    @Test
    @Tag("B2")
    void nothingOfASequenceOvertakesTheMessageThatTheInboxFailsAt() {
        AtomicBoolean poisoned = new AtomicBoolean(true);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            if (poisoned.get() && ids.contains("1")) {
                throw new IllegalStateException("at the poison");
            }
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        for (int i = 0; i < 4; i++) {
            String id = "" + i;
            group.submitInSequence(message(id, ""), 0, outcome -> settled.add(id));
        }
        await().atMost(PATIENCE)
                .until(() -> batches.stream().filter(List.of("1")::equals).count() > 2);
        assertThat(settled).isSubsetOf("0");
        assertThat(batches).doesNotContain(List.of("2"), List.of("3"), List.of("2", "3"));

        poisoned.set(false);
        await().atMost(PATIENCE).until(() -> settled.size() == 4);
        assertThat(settled).containsExactly("0", "1", "2", "3");
    }

    @Test
    @Tag("B2")
    void acknowledgementThatLacksMemoryIsToldAgainAndOthersOnce() {
        AtomicBoolean full = new AtomicBoolean(true);
        Lanes lanes = start(oneLane(), inbox(LanesTest::processed));
        DeliveryGroup group = lanes.open();
        submit(group, "first", "a");
        group.submit(message("x", "a"), 0, outcome -> {
            if (full.getAndSet(false)) {
                throw new OutOfMemoryError("no room to note it");
            }
            settled.add("x");
        });
        submit(group, "last", "a");
        awaitSettled("first", "x", "last");
        assertThat(settled).containsExactly("first", "x", "last");
        await().atMost(PATIENCE).until(() -> lanes.load() == 0);
    }

    @Test
    @Tag("B1")
    void interruptThatIsLeftBehindByAFailureDoesNotMakeTheLaneSpin() {
        Lanes lanes = start(oneLane(), inbox(ids -> {
            Thread.currentThread().interrupt();
            throw new RetryableException("nothing is committed", null);
        }));
        long begun = System.nanoTime();
        submit(lanes.open(), "1", "a");
        await().atMost(PATIENCE).until(lanes::isWaiting);
        await().during(Duration.ofMillis(500)).atMost(PATIENCE).until(lanes::isWaiting);
        long millis = (System.nanoTime() - begun) / 1_000_000;
        assertThat(probes.get()).as("within %s ms", millis).isLessThan((int) (3 + millis / 50));
    }

    @Test
    void interruptionLeftBehindByAHandlerDoesNotEndTheLane() {
        Lanes lanes = start(oneLane(), inbox(ids -> {
            Thread.currentThread().interrupt();
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        submit(group, "1", "a");
        awaitSettled("1");
        submit(group, "2", "a");
        awaitSettled("2");
    }

    @Test
    void failingAcknowledgementDoesNotKeepTheOthersBack() {
        Lanes lanes = start(oneLane(), inbox(LanesTest::processed));
        DeliveryGroup group = lanes.open();
        group.submit(message("1", "a"), 0, outcome -> {
            throw new IllegalStateException("a defect");
        });
        submit(group, "2", "a");
        awaitSettled("2");
    }

    @Test
    void withdrawnMessagesAreGivenUpAtOnceWhileTheDatabaseIsAway() {
        storeIsUp.set(false);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            requireStore();
            return processed(ids);
        }));
        DeliveryGroup revoked = lanes.open();
        DeliveryGroup kept = lanes.open();
        submit(revoked, "1", "a");
        submit(kept, "2", "a");
        await().atMost(PATIENCE).until(lanes::isWaiting);
        submit(revoked, "3", "a");
        revoked.withdraw();
        assertThat(revoked.awaitIdle(Duration.ofSeconds(5))).isTrue();
        storeIsUp.set(true);
        awaitSettled("2");
        assertThat(settled).containsExactly("2");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(lanes.load()).isZero());
        assertThatThrownBy(() -> submit(revoked, "4", "a")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void waitingForTheDatabaseEndsEvenWhenEverythingWasWithdrawn() {
        storeIsUp.set(false);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            requireStore();
            return processed(ids);
        }));
        DeliveryGroup revoked = lanes.open();
        submit(revoked, "1", "a");
        await().atMost(PATIENCE).until(lanes::isWaiting);
        revoked.withdraw();
        assertThat(lanes.load()).isZero();
        storeIsUp.set(true);
        await().atMost(PATIENCE).until(() -> !lanes.isWaiting());
        assertThat(settled).isEmpty();
    }

    @Test
    void withdrawnMessagesInWorkAreWaitedForAndMayStillSettle() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            inWork.countDown();
            awaitLatch(mayEnd);
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        submit(group, "1", "a");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        submit(group, "2", "a");
        group.withdraw();
        assertThat(group.awaitIdle(Duration.ofMillis(20))).isFalse();
        assertThat(lanes.open().awaitIdle(Duration.ZERO)).isTrue();
        mayEnd.countDown();
        assertThat(group.awaitIdle(PATIENCE)).isTrue();
        assertThat(settled).containsExactly("1");
        assertThat(lanes.load()).isZero();
    }

    @Test
    void withdrawnBusyMessageIsForgottenAndItsKeyIsFree() throws InterruptedException {
        CountDownLatch twice = new CountDownLatch(2);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            twice.countDown();
            return ids.stream().map(id -> id.equals("1") ? BUSY : PROCESSED).toList();
        }));
        DeliveryGroup revoked = lanes.open();
        submit(revoked, "1", "a");
        assertThat(twice.await(10, TimeUnit.SECONDS)).isTrue();
        DeliveryGroup kept = lanes.open();
        submit(kept, "2", "a");
        revoked.withdraw();
        awaitSettled("2");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(lanes.load()).isZero());
    }

    @Test
    void lanesTellHowFullTheyAreByNumberAndByBytes() {
        storeIsUp.set(false);
        BatchProcessor away = inbox(ids -> {
            requireStore();
            return processed(ids);
        });
        Lanes byNumber = start(oneLane().bounds(10, 1_000_000), away);
        Lanes byBytes = start(oneLane().bounds(1_000_000, 90), away);
        for (Lanes lanes : List.of(byNumber, byBytes)) {
            DeliveryGroup group = lanes.open();
            for (int i = 0; i < 5; i++) {
                submit(group, "" + i, "a");
            }
            assertThat(lanes.load()).isEqualTo(0.5);
        }
    }

    @Test
    void closingWakesALaneThatWaitsForTheDatabase() {
        storeIsUp.set(false);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            requireStore();
            return processed(ids);
        }));
        submit(lanes.open(), "1", "a");
        await().atMost(PATIENCE).until(() -> !batches.isEmpty());
        lanes.close(PATIENCE);
        assertThat(runningThreads()).isEmpty();
        assertThat(settled).isEmpty();
    }

    @Test
    void closingGivesUpWhatDoesNotEnd() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        Lanes lanes = start(oneLane(), inbox(ids -> {
            inWork.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            return processed(ids);
        }));
        submit(lanes.open(), "1", "a");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        lanes.close(Duration.ofMillis(20));
        await().atMost(PATIENCE).untilTrue(interrupted);
        await().atMost(PATIENCE).until(() -> runningThreads().isEmpty());
    }

    @Test
    void closingWaitsForWhatIsInWorkAlsoOnAnInterruptedThread() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            inWork.countDown();
            awaitLatch(mayEnd);
            return processed(ids);
        }));
        submit(lanes.open(), "1", "a");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();

        assertThat(whileInterrupted(mayEnd, () -> lanes.close(PATIENCE))).isTrue();

        assertThat(settled).containsExactly("1");
        assertThat(runningThreads()).isEmpty();
    }

    @Test
    void withdrawnMessagesInWorkAreWaitedForAlsoOnAnInterruptedThread() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Lanes lanes = start(oneLane(), inbox(ids -> {
            inWork.countDown();
            awaitLatch(mayEnd);
            return processed(ids);
        }));
        DeliveryGroup group = lanes.open();
        submit(group, "1", "a");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        group.withdraw();
        AtomicBoolean idle = new AtomicBoolean();

        assertThat(whileInterrupted(mayEnd, () -> idle.set(group.awaitIdle(PATIENCE))))
                .isTrue();

        assertThat(idle).isTrue();
    }

    /** Lets the work end when the waiting has begun; answers whether the thread is still interrupted afterwards. */
    private static boolean whileInterrupted(CountDownLatch mayEnd, Runnable waiting) throws InterruptedException {
        AtomicBoolean still = new AtomicBoolean();
        Thread waiter = new Thread(() -> {
            Thread.currentThread().interrupt();
            waiting.run();
            still.set(Thread.currentThread().isInterrupted());
        });
        waiter.start();
        await().atMost(PATIENCE)
                .until(() -> List.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
                        .contains(waiter.getState()));
        mayEnd.countDown();
        waiter.join(PATIENCE.toMillis());
        return still.get();
    }

    @Test
    void orderAndCompletenessSurviveBusyMessagesAndFailures() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Lanes lanes = start(LaneSettings.standard().lanes(3).maxBatch(7), inbox(ids -> {
            synchronized (random) {
                if (random.nextInt(30) == 0) {
                    throw new StoreUnavailableException("seldom", null);
                }
                // Of each key only the first may be busy: the engine holds its successors back itself.
                return ids.size() == 1 && random.nextInt(3) == 0 ? List.of(BUSY) : processed(ids);
            }
        }));
        DeliveryGroup group = lanes.open();
        for (int i = 0; i < 300; i++) {
            submit(group, "" + i, "key " + i % 9);
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> settled.size() >= 300);
        assertThat(settled).as("seed %s", seed).hasSize(300).doesNotHaveDuplicates();
        for (int key = 0; key < 9; key++) {
            int wanted = key;
            assertThat(settled.stream().map(Integer::valueOf).filter(i -> i % 9 == wanted))
                    .as("seed %s", seed)
                    .isSorted();
        }
    }

    private static List<Thread> runningThreads() {
        Thread[] threads = new Thread[Thread.activeCount() + 20];
        Thread.enumerate(threads);
        return Arrays.stream(threads)
                .filter(thread -> thread != null && thread.getName().startsWith("test-lane-"))
                .toList();
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
