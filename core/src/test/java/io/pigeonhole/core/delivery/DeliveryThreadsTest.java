package io.pigeonhole.core.delivery;

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
import java.util.concurrent.CompletableFuture;
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

/** One long class, because its tests share one set of delivery threads, an inbox that a test steers, and what both have seen. */
class DeliveryThreadsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Outcome PROCESSED = new Outcome.Processed();
    private static final Outcome BUSY = new Outcome.Busy("a duplicate is in flight");

    private final List<DeliveryThreads> started = new ArrayList<>();
    private final Queue<String> settled = new ConcurrentLinkedQueue<>();
    private final Queue<List<String>> batches = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean storeIsUp = new AtomicBoolean(true);
    private final AtomicInteger probes = new AtomicInteger();

    /** Records its batches, and answers as the test says. */
    private BatchProcessor inbox(Function<List<String>, List<Outcome>> answer) {
        return new BatchProcessor() {
            @Override
            public List<Outcome> process(List<Message> messages) {
                List<String> ids =
                        messages.stream().map(DeliveryThreadsTest::idOf).toList();
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

    private DeliveryThreads start(DeliverySettings settings, BatchProcessor inbox) {
        DeliveryThreads deliveryThreads = DeliveryThreads.start("test", inbox, settings);
        started.add(deliveryThreads);
        return deliveryThreads;
    }

    private static DeliverySettings oneDeliveryThread() {
        return DeliverySettings.standard().concurrency(1);
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
    void stopDeliveryThreads() {
        storeIsUp.set(true);
        started.forEach(deliveryThreads -> deliveryThreads.close(PATIENCE));
    }

    @Test
    void messageWithoutKeyGoesIntoTheDeliveryThreadThatHasTheLeastToDo() {
        CountDownLatch goOn = new CountDownLatch(1);
        DeliveryThreads deliveryThreads = start(DeliverySettings.standard().concurrency(2), inbox(ids -> {
            if (ids.contains("slow")) {
                awaitLatch(goOn);
            }
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
        group.submit(message("slow", ""), outcome -> settled.add("slow"));
        for (int i = 0; i < 100; i++) {
            String id = "" + i;
            group.submit(message(id, ""), outcome -> settled.add(id));
            // The slow one is the only one left.
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> settled.contains(id) && deliveryThreads.load() * 8_000 <= 1);
        }
        assertThat(settled).hasSize(100).doesNotContain("slow");
        goOn.countDown();
        awaitSettled("slow");
        await().atMost(PATIENCE).until(() -> deliveryThreads.load() == 0);
    }

    @Test
    void keyDecidesAboutTheDeliveryThreadAlsoWhereAnotherHasLessToDo() {
        CountDownLatch goOn = new CountDownLatch(1);
        DeliveryThreads deliveryThreads = start(DeliverySettings.standard(), inbox(ids -> {
            awaitLatch(goOn);
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
        List<String> ids = IntStream.range(0, 50).mapToObj(String::valueOf).toList();
        ids.forEach(id -> group.submit(message(id, "one key"), outcome -> settled.add(id)));
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> settled.size() == 50);
        assertThat(settled).containsExactlyElementsOf(ids);
    }

    @Test
    void eachMessageIsSettledOnceAndMessagesOfOneKeyInTheirOrder() {
        DeliveryThreads deliveryThreads = start(DeliverySettings.standard(), inbox(DeliveryThreadsTest::processed));
        DeliveryGroup group = deliveryThreads.open();
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
        assertThat(deliveryThreads.load()).isZero();
    }

    @Test
    void messagesWithoutAKeyShareTheDeliveryThreadOfTheirFallback() {
        Map<String, String> threadById = new ConcurrentHashMap<>();
        DeliveryThreads deliveryThreads = start(DeliverySettings.standard(), inbox(ids -> {
            ids.forEach(id -> threadById.put(id, Thread.currentThread().getName()));
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
        for (int i = 0; i < 100; i++) {
            group.submit(message("" + i, ""), i % 2, outcome -> {});
        }
        await().atMost(PATIENCE).until(() -> threadById.size() == 100);
        for (int i = 0; i < 100; i++) {
            assertThat(threadById.get("" + i)).isEqualTo(threadById.get("" + i % 2));
        }
    }

    @Test
    void keysAreSpreadOverAllDeliveryThreads() {
        Queue<String> threads = new ConcurrentLinkedQueue<>();
        DeliveryThreads deliveryThreads = start(DeliverySettings.standard(), inbox(ids -> {
            threads.add(Thread.currentThread().getName());
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
        IntStream.range(0, 100).forEach(i -> submit(group, "" + i, "" + i));
        await().atMost(PATIENCE).until(() -> settled.size() == 100);
        assertThat(threads.stream().distinct()).hasSize(4);
    }

    @Test
    void whatWaitsBecomesOneBatchUpToTheLimit() throws InterruptedException {
        CountDownLatch firstIsInWork = new CountDownLatch(1);
        CountDownLatch firstMayEnd = new CountDownLatch(1);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread().maxBatch(10), inbox(ids -> {
            firstIsInWork.countDown();
            awaitLatch(firstMayEnd);
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
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
        DeliveryThreads deliveryThreads = start(
                oneDeliveryThread(),
                inbox(ids -> ids.stream()
                        .map(id -> id.equals("a1") && duplicateIsInFlight.get() ? BUSY : PROCESSED)
                        .toList()));
        DeliveryGroup group = deliveryThreads.open();
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
        assertThat(deliveryThreads.isWaiting()).isFalse();
        duplicateIsInFlight.set(false);
        awaitSettled("a1", "a2", "a3");
        assertThat(settled).containsSubsequence("a1", "a2", "a3");
        assertThat(deliveryThreads.load()).isZero();
    }

    @Test
    void whileTheDatabaseIsAwayTheSameMessagesAreKept() {
        storeIsUp.set(false);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            requireStore();
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
        submit(group, "1", "a");
        await().atMost(PATIENCE).until(deliveryThreads::isWaiting);
        submit(group, "2", "a");
        assertThat(settled).isEmpty();
        storeIsUp.set(true);
        awaitSettled("1", "2");
        assertThat(deliveryThreads.isWaiting()).isFalse();
        assertThat(batches).containsExactly(List.of("1"), List.of("1"), List.of("2"));
    }

    @Test
    void defectsOfTheInboxSkipNothing() {
        Queue<Throwable> defects = new ConcurrentLinkedQueue<>(
                List.of(new IllegalStateException("a defect"), new StackOverflowError("another")));
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            Throwable defect = defects.poll();
            if (defect instanceof Error e) {
                throw e;
            }
            if (defect instanceof RuntimeException e) {
                throw e;
            }
            return processed(ids);
        }));
        submit(deliveryThreads.open(), "1", "a");
        await().atMost(PATIENCE).until(() -> !batches.isEmpty());
        assertThat(deliveryThreads.isWaiting())
                .as("the database is not to blame")
                .isFalse();
        awaitSettled("1");
        assertThat(batches).hasSize(3);
    }

    @Test
    void outcomesThatDoNotMatchTheMessagesSettleNothing() {
        AtomicInteger calls = new AtomicInteger();
        DeliveryThreads deliveryThreads =
                start(oneDeliveryThread(), inbox(ids -> calls.incrementAndGet() == 1 ? List.of() : processed(ids)));
        submit(deliveryThreads.open(), "1", "a");
        awaitSettled("1");
        assertThat(calls).hasValue(2);
    }

    @Test
    @Tag("B2")
    void messageThatTheInboxFailsAtHoldsBackNothingButItsOwnKey() {
        AtomicBoolean poisoned = new AtomicBoolean(true);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            if (poisoned.get() && ids.contains("poison")) {
                throw new OutOfMemoryError("at the poison");
            }
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
        submit(group, "before", "a");
        submit(group, "poison", "b");
        submit(group, "behind", "b");
        for (int i = 0; i < 50; i++) {
            submit(group, "" + i, "key " + i);
        }
        await().atMost(PATIENCE).until(() -> settled.size() == 51);
        assertThat(settled).doesNotContain("poison", "behind");
        assertThat(deliveryThreads.isWaiting())
                .as("the database is not to blame")
                .isFalse();

        poisoned.set(false);
        awaitSettled("poison", "behind");
        assertThat(settled).containsSubsequence("poison", "behind").doesNotHaveDuplicates();
    }

    @Test
    @Tag("B2")
    void messagesThatTheInboxFailsAtHoldBackNothingHoweverManyTheyAre() {
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            if (ids.stream().anyMatch(id -> id.startsWith("poison"))) {
                throw new IllegalStateException("at a poison");
            }
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
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
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            if (poisoned.get() && ids.contains("1")) {
                throw new IllegalStateException("at the poison");
            }
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
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
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(DeliveryThreadsTest::processed));
        DeliveryGroup group = deliveryThreads.open();
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
        await().atMost(PATIENCE).until(() -> deliveryThreads.load() == 0);
    }

    @Test
    @Tag("B1")
    void interruptThatIsLeftBehindByAFailureDoesNotMakeTheDeliveryThreadSpin() {
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            Thread.currentThread().interrupt();
            throw new RetryableException("nothing is committed", null);
        }));
        long begun = System.nanoTime();
        submit(deliveryThreads.open(), "1", "a");
        await().atMost(PATIENCE).until(deliveryThreads::isWaiting);
        await().during(Duration.ofMillis(500)).atMost(PATIENCE).until(deliveryThreads::isWaiting);
        long millis = (System.nanoTime() - begun) / 1_000_000;
        assertThat(probes.get()).as("within %s ms", millis).isLessThan((int) (3 + millis / 50));
    }

    @Test
    void interruptionLeftBehindByAHandlerDoesNotEndTheDeliveryThread() {
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            Thread.currentThread().interrupt();
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
        submit(group, "1", "a");
        awaitSettled("1");
        submit(group, "2", "a");
        awaitSettled("2");
    }

    @Test
    void failingAcknowledgementDoesNotKeepTheOthersBack() {
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(DeliveryThreadsTest::processed));
        DeliveryGroup group = deliveryThreads.open();
        group.submit(message("1", "a"), 0, outcome -> {
            throw new IllegalStateException("a defect");
        });
        submit(group, "2", "a");
        awaitSettled("2");
    }

    @Test
    void withdrawnMessagesAreGivenUpAtOnceWhileTheDatabaseIsAway() {
        storeIsUp.set(false);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            requireStore();
            return processed(ids);
        }));
        DeliveryGroup revoked = deliveryThreads.open();
        DeliveryGroup kept = deliveryThreads.open();
        submit(revoked, "1", "a");
        submit(kept, "2", "a");
        await().atMost(PATIENCE).until(deliveryThreads::isWaiting);
        submit(revoked, "3", "a");
        revoked.withdraw();
        assertThat(revoked.awaitIdle(Duration.ofSeconds(5))).isTrue();
        storeIsUp.set(true);
        awaitSettled("2");
        assertThat(settled).containsExactly("2");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(deliveryThreads.load()).isZero());
        assertThatThrownBy(() -> submit(revoked, "4", "a")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void waitingForTheDatabaseEndsEvenWhenEverythingWasWithdrawn() {
        storeIsUp.set(false);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            requireStore();
            return processed(ids);
        }));
        DeliveryGroup revoked = deliveryThreads.open();
        submit(revoked, "1", "a");
        await().atMost(PATIENCE).until(deliveryThreads::isWaiting);
        revoked.withdraw();
        assertThat(deliveryThreads.load()).isZero();
        storeIsUp.set(true);
        await().atMost(PATIENCE).until(() -> !deliveryThreads.isWaiting());
        assertThat(settled).isEmpty();
    }

    @Test
    void withdrawnMessagesInWorkAreWaitedForAndMayStillSettle() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            inWork.countDown();
            awaitLatch(mayEnd);
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
        submit(group, "1", "a");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        submit(group, "2", "a");
        group.withdraw();
        assertThat(group.awaitIdle(Duration.ofMillis(20))).isFalse();
        assertThat(deliveryThreads.open().awaitIdle(Duration.ZERO)).isTrue();
        mayEnd.countDown();
        assertThat(group.awaitIdle(PATIENCE)).isTrue();
        assertThat(settled).containsExactly("1");
        assertThat(deliveryThreads.load()).isZero();
    }

    @Test
    void withdrawnBusyMessageIsForgottenAndItsKeyIsFree() throws InterruptedException {
        CountDownLatch twice = new CountDownLatch(2);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            twice.countDown();
            return ids.stream().map(id -> id.equals("1") ? BUSY : PROCESSED).toList();
        }));
        DeliveryGroup revoked = deliveryThreads.open();
        submit(revoked, "1", "a");
        assertThat(twice.await(10, TimeUnit.SECONDS)).isTrue();
        DeliveryGroup kept = deliveryThreads.open();
        submit(kept, "2", "a");
        revoked.withdraw();
        awaitSettled("2");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(deliveryThreads.load()).isZero());
    }

    /** Groups are taken back thread by thread, however much waits in each. */
    @Test
    void whatWaitsBehindABusyMessageGoesWithItAlthoughItsGroupIsTakenBackLater() throws InterruptedException {
        CompletableFuture<DeliveryGroup> group = new CompletableFuture<>();
        CountDownLatch submitted = new CountDownLatch(1);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread().maxBatch(1), inbox(ids -> {
            awaitLatch(submitted);
            if (ids.contains("1")) {
                group.join().markWithdrawn();
                return List.of(BUSY);
            }
            return processed(ids);
        }));
        DeliveryGroup revoked = deliveryThreads.open();
        group.complete(revoked);
        submit(revoked, "1", "a");
        submit(revoked, "2", "a");
        DeliveryGroup kept = deliveryThreads.open();
        submit(kept, "3", "b");
        submitted.countDown();

        awaitSettled("3");
        revoked.withdraw();
        assertThat(revoked.awaitIdle(PATIENCE)).isTrue();
        assertThat(settled).containsExactly("3");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(deliveryThreads.load()).isZero());
    }

    /** The same where the call fails, and what is in hand is handed in again. */
    @Test
    void whatWaitsBehindAMessageThatFailedGoesWithItAlthoughItsGroupIsTakenBackLater() throws InterruptedException {
        CompletableFuture<DeliveryGroup> group = new CompletableFuture<>();
        CountDownLatch submitted = new CountDownLatch(1);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread().maxBatch(1), inbox(ids -> {
            awaitLatch(submitted);
            if (ids.contains("1")) {
                group.join().markWithdrawn();
                throw new RetryableException("locks again and again", null);
            }
            return processed(ids);
        }));
        DeliveryGroup revoked = deliveryThreads.open();
        group.complete(revoked);
        submit(revoked, "1", "a");
        submit(revoked, "2", "a");
        DeliveryGroup kept = deliveryThreads.open();
        submit(kept, "3", "b");
        submitted.countDown();

        awaitSettled("3");
        revoked.withdraw();
        assertThat(settled).containsExactly("3");
    }

    @Test
    void deliveryThreadsTellHowFullTheyAreByNumberAndByBytes() {
        storeIsUp.set(false);
        BatchProcessor away = inbox(ids -> {
            requireStore();
            return processed(ids);
        });
        DeliveryThreads byNumber = start(oneDeliveryThread().maxUnfinished(10, 1_000_000), away);
        DeliveryThreads byBytes = start(oneDeliveryThread().maxUnfinished(1_000_000, 90), away);
        for (DeliveryThreads deliveryThreads : List.of(byNumber, byBytes)) {
            DeliveryGroup group = deliveryThreads.open();
            for (int i = 0; i < 5; i++) {
                submit(group, "" + i, "a");
            }
            assertThat(deliveryThreads.load()).isEqualTo(0.5);
        }
    }

    @Test
    void closingWakesADeliveryThreadThatWaitsForTheDatabase() {
        storeIsUp.set(false);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            requireStore();
            return processed(ids);
        }));
        submit(deliveryThreads.open(), "1", "a");
        await().atMost(PATIENCE).until(() -> !batches.isEmpty());
        deliveryThreads.close(PATIENCE);
        assertThat(runningThreads()).isEmpty();
        assertThat(settled).isEmpty();
    }

    @Test
    void closingGivesUpWhatDoesNotEnd() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            inWork.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            return processed(ids);
        }));
        submit(deliveryThreads.open(), "1", "a");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        deliveryThreads.close(Duration.ofMillis(20));
        await().atMost(PATIENCE).untilTrue(interrupted);
        await().atMost(PATIENCE).until(() -> runningThreads().isEmpty());
    }

    @Test
    void closingWaitsForWhatIsInWorkAlsoOnAnInterruptedThread() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            inWork.countDown();
            awaitLatch(mayEnd);
            return processed(ids);
        }));
        submit(deliveryThreads.open(), "1", "a");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();

        assertThat(whileInterrupted(mayEnd, () -> deliveryThreads.close(PATIENCE)))
                .isTrue();

        assertThat(settled).containsExactly("1");
        assertThat(runningThreads()).isEmpty();
    }

    @Test
    void withdrawnMessagesInWorkAreWaitedForAlsoOnAnInterruptedThread() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        DeliveryThreads deliveryThreads = start(oneDeliveryThread(), inbox(ids -> {
            inWork.countDown();
            awaitLatch(mayEnd);
            return processed(ids);
        }));
        DeliveryGroup group = deliveryThreads.open();
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
        DeliveryThreads deliveryThreads =
                start(DeliverySettings.standard().concurrency(3).maxBatch(7), inbox(ids -> {
                    synchronized (random) {
                        if (random.nextInt(30) == 0) {
                            throw new StoreUnavailableException("seldom", null);
                        }
                        // Of each key only the first may be busy: the engine holds its successors back itself.
                        return ids.size() == 1 && random.nextInt(3) == 0 ? List.of(BUSY) : processed(ids);
                    }
                }));
        DeliveryGroup group = deliveryThreads.open();
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
                .filter(thread -> thread != null && thread.getName().startsWith("test-delivery-"))
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
