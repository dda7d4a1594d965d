package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.RedeliveryWindow;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** What a real queue does too seldom to be tested with: errors, and receives that end at chosen moments. */
class SqsSourceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final FakeQueue queue = new FakeQueue();
    private final AtomicLong skipped = new AtomicLong();
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final CountDownLatch inWork = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final List<SqsSource> started = new ArrayList<>();
    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", store)
            .defaultType("text")
            .handle("text", PayloadDecoder.text(), (text, context) -> {
                if (text.startsWith("slow")) {
                    inWork.countDown();
                    assertThat(mayEnd.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                }
                context.defer(() -> effects.add(text));
            })
            .build();

    @AfterEach
    void close() {
        mayEnd.countDown();
        queue.endWaits();
        started.forEach(SqsSource::close);
    }

    private SqsSource start(int pollers) {
        return start(pollers, Duration.ofSeconds(30));
    }

    private SqsSource start(int pollers, Duration visibility) {
        return start(pollers, visibility, Duration.ofHours(12));
    }

    private SqsSource start(int pollers, Duration visibility, Duration longestHold) {
        return begin(SqsSource.builder(inbox, queue, "https://queues/" + FakeQueue.NAME)
                .visibilityTimeout(visibility)
                .longestHold(longestHold)
                .concurrency(1)
                .maxBatch(1)
                .pollers(pollers)
                .closeTimeout(PATIENCE));
    }

    private SqsSource begin(SqsSourceBuilder builder) {
        SqsSource source = builder.build(() -> System.nanoTime() + skipped.get());
        started.add(source);
        source.start();
        return source;
    }

    private void awaitState(SqsSource source, SourceState state) {
        await().atMost(PATIENCE).until(() -> source.state() == state);
    }

    static SqsException refusal(String code) {
        return (SqsException) SqsException.builder()
                .statusCode(403)
                .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).build())
                .build();
    }

    static Stream<Supplier<? extends Throwable>> whatPasses() {
        return Stream.of(
                () -> new IllegalStateException("the token server is away"),
                () -> SdkClientException.create("unable to load credentials"),
                () -> refusal("ExpiredToken"),
                () -> new OutOfMemoryError("for a moment"));
    }

    @Tag("E5")
    @ParameterizedTest
    @MethodSource("whatPasses")
    void errorThatPassesIsToldAndOutlasted(Supplier<? extends Throwable> failure) {
        for (int i = 0; i < 1_000; i++) {
            queue.receives.add(failure);
        }
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> !source.problems().isEmpty());
        assertThat(source.state()).isIn(SourceState.WAITING_FOR_BROKER, SourceState.DEGRADED);
        assertThat(source.problems().get(0))
                .contains("test", failure.get().getClass().getName());
        queue.receives.clear();
        queue.send("a", "g");
        await().atMost(PATIENCE).until(() -> effects.contains("a"));
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
        assertThat(source.failure()).isNull();
    }

    @Tag("E5")
    @Test
    void refusalOfASourceThatHasNeverWorkedIsFinal() {
        queue.receives.add(() -> refusal("AccessDenied"));
        SqsSource source = start(1);
        awaitState(source, SourceState.FAILED);
        assertThat(source.failure()).isInstanceOf(SqsException.class);
    }

    @Tag("E5")
    @Test
    void refusalOfASourceThatHasWorkedMayPass() {
        queue.send("a", "g");
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> effects.contains("a"));
        queue.receives.add(() -> refusal("AccessDenied"));
        queue.receives.add(() -> refusal("InvalidClientTokenId"));
        queue.send("b", "g");
        await().atMost(PATIENCE).until(queue.receives::isEmpty);
        // Only a receive that succeeds after the refusals shows that they have passed.
        queue.send("c", "g");
        await().atMost(PATIENCE).until(() -> effects.contains("c"));
        assertThat(source.failure()).isNull();
        awaitState(source, SourceState.RUNNING);
    }

    @Tag("E5")
    @Test
    void firstProlongationThatIsRefusedEndsNothing() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        queue.whenHidden(() -> {
            if (refuses.get()) {
                throw refusal("InvalidClientTokenId");
            }
        });
        queue.send("slow", "g");
        SqsSource source = start(1, Duration.ofSeconds(3));
        await().atMost(PATIENCE).until(() -> !source.problems().isEmpty());
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("hidden");
        refuses.set(false);
        awaitState(source, SourceState.RUNNING);
        mayEnd.countDown();
        queue.send("later", "h");
        await().atMost(PATIENCE).until(() -> effects.contains("later"));
        assertThat(source.failure()).isNull();
    }

    @Tag("E5")
    @Test
    void refusedProlongationIsOverWithItsMessage() {
        queue.whenHidden(() -> {
            throw refusal("AccessDenied");
        });
        queue.send("slow", "g");
        SqsSource source = start(1, Duration.ofSeconds(3));
        awaitState(source, SourceState.DEGRADED);
        mayEnd.countDown();
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Tag("E5")
    @Test
    void refusedProlongationIsOverAlsoWhereItsMessageHasBeenHeldLongEnough() {
        queue.whenHidden(() -> {
            throw refusal("AccessDenied");
        });
        queue.send("slow", "g");
        SqsSource source = start(1, Duration.ofSeconds(3), Duration.ofSeconds(6));
        awaitState(source, SourceState.DEGRADED);
        // Long before its handler gives up.
        await().atMost(PATIENCE.dividedBy(2)).until(() -> source.state() == SourceState.RUNNING);
        assertThat(effects)
                .as("it is in work, and is not to be hidden any more")
                .isEmpty();
        assertThat(source.problems()).isEmpty();
    }

    @Tag("E5")
    @Test
    void firstDeletionThatIsRefusedEndsNothing() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        queue.whenDeleted(() -> {
            if (refuses.get()) {
                throw refusal("AccessDenied");
            }
        });
        queue.send("a", "g");
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> !source.problems().isEmpty());
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        queue.send("b", "h");
        await().atMost(PATIENCE).until(() -> effects.contains("b"));
        refuses.set(false);
        await().atMost(PATIENCE).until(() -> queue.left() == 0);
        awaitState(source, SourceState.RUNNING);
        assertThat(source.failure()).isNull();
    }

    @Tag("E5")
    @Test
    void failedDeletionIsOverWhenNothingIsLeftToBeDeleted() {
        queue.whenDeleted(() -> {
            throw new IllegalStateException("no route to host");
        });
        SqsSource source = start(1, Duration.ofSeconds(1));
        queue.send("a", "g");
        awaitState(source, SourceState.DEGRADED);
        // Its visibility timeout is over before long, and another node is given it, and deletes it.
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Tag("E12")
    @Test
    void refusedDeletionIsNotOverBeforeOneSucceeds() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        queue.whenDeleted(() -> {
            if (refuses.get()) {
                throw refusal("AccessDenied");
            }
        });
        SqsSource source = start(1, Duration.ofSeconds(1));
        queue.send("a", "g");
        awaitState(source, SourceState.DEGRADED);
        // Longer than deletions of the message are tried.
        await().during(Duration.ofSeconds(2)).atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("deleting", "403");
        refuses.set(false);
        queue.send("b", "h");
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Test
    void floodThatTheInboxHoldsBackIsAProblem() {
        Instant late = Instant.now().plusSeconds(10);
        store.ledgerBounds(late.plusSeconds(100), null);
        Inbox<InMemoryContext> limited = Inbox.builder("limited", store)
                .lateLimit(1)
                .defaultType("text")
                .handle("text", PayloadDecoder.text(), (text, context) -> {})
                .build();
        for (int i = 0; i < 3; i++) {
            long millis = late.toEpochMilli();
            queue.send(String.format("%08x-%04x-7000-8000-%012x", millis >>> 16, millis & 0xFFFF, i), "g" + i);
        }
        SqsSource source = begin(SqsSource.builder(limited, queue, "https://queues/" + FakeQueue.NAME)
                .concurrency(1)
                .maxBatch(1));
        awaitState(source, SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("limited", "held back", "lateLimit");
    }

    private static BatchResultErrorEntry failure(String code, boolean senderFault) {
        return BatchResultErrorEntry.builder()
                .code(code)
                .message("no")
                .senderFault(senderFault)
                .build();
    }

    @Tag("E12")
    @ParameterizedTest
    @CsvSource({"InternalError, false", "InvalidParameterValue, true"})
    void messageThatSqsDoesNotDeleteInACallThatSucceedsIsReportedUntilADeletionSucceeds(
            String code, boolean senderFault) {
        AtomicBoolean fails = new AtomicBoolean(true);
        queue.deletions = id -> fails.get() ? failure(code, senderFault) : null;
        SqsSource source = start(1);
        queue.send("a", "g");
        awaitState(source, SourceState.DEGRADED);
        // Longer than it is tried.
        await().during(Duration.ofSeconds(2)).atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("deleting", "1 of 1", code);
        fails.set(false);
        queue.send("b", "h");
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    static Stream<Arguments> deletionsThatFail() {
        Consumer<FakeQueue> refused = queue -> queue.whenDeleted(() -> {
            throw refusal("AccessDenied");
        });
        Consumer<FakeQueue> oneOfTen =
                queue -> queue.deletions = id -> id.endsWith("0") ? failure("InternalError", false) : null;
        return Stream.of(Arguments.of(refused, "403"), Arguments.of(oneOfTen, "InternalError"));
    }

    @Tag("E5")
    @ParameterizedTest
    @MethodSource("deletionsThatFail")
    void moreThanItsBoundsIsReceivedWhileDeletionsFail(Consumer<FakeQueue> fail, String reason) {
        fail.accept(queue);
        for (int i = 0; i < 500; i++) {
            queue.send("m" + i, "g" + i);
        }
        SqsSource source = begin(SqsSource.builder(inbox, queue, "https://queues/" + FakeQueue.NAME)
                .visibilityTimeout(Duration.ofMinutes(15))
                .maxUnfinished(20, 1 << 20)
                .pollers(1));
        await().atMost(PATIENCE.dividedBy(2)).until(() -> effects.size() == 500);
        awaitState(source, SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("deleting", reason);
    }

    /** A client that gets no answer waits ten seconds for it. */
    @Tag("E5")
    @Test
    void moreThanItsBoundsIsReceivedWhileDeletionsHangUntilTheirLimit() {
        AtomicInteger calls = new AtomicInteger();
        queue.whenDeleted(() -> {
            if (calls.incrementAndGet() > 1) {
                hangForASecond();
            }
            throw SdkClientException.create("no answer");
        });
        SqsSource source = begin(SqsSource.builder(inbox, queue, "https://queues/" + FakeQueue.NAME)
                .maxUnfinished(20, 1 << 20)
                .pollers(1));
        queue.send("first", "g");
        awaitState(source, SourceState.DEGRADED);
        for (int i = 0; i < 500; i++) {
            queue.send("m" + i, "g" + i);
        }
        await().atMost(PATIENCE.dividedBy(2)).until(() -> effects.size() == 501);
        mayEnd.countDown();
    }

    private void hangForASecond() {
        try {
            mayEnd.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Tag("E5")
    @Test
    void closingTriesAgainWhatWaitsForAnotherTryOfItsDeletion() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        queue.whenDeleted(calls::incrementAndGet);
        queue.deletions = id -> refuses.get() ? failure("InternalError", false) : null;
        queue.send("a", "g");
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> calls.get() >= 4);
        refuses.set(false);
        queue.endWaits();
        source.close();
        assertThat(queue.left()).isZero();
    }

    /** Until it is deleted SQS holds back its group. */
    @Tag("E5")
    @Test
    void groupGoesOnWhenAMessageIsDeletedAfterMoreThanFiveTries() {
        AtomicInteger tries = new AtomicInteger();
        queue.deletions = id -> tries.incrementAndGet() <= 6 ? failure("InternalError", false) : null;
        queue.send("first", "g");
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> tries.get() > 0);
        queue.send("second", "g");
        await().atMost(PATIENCE).until(() -> {
            skipped.addAndGet(Duration.ofMillis(250).toNanos());
            return effects.contains("second");
        });
        awaitState(source, SourceState.RUNNING);
    }

    @Tag("E12")
    @Test
    void messageThatSqsDoesNotKeepHiddenIsReportedAndTriedAgainBeforeTheOthersAreDue() {
        AtomicBoolean fails = new AtomicBoolean(true);
        AtomicInteger ofTheOther = new AtomicInteger();
        AtomicInteger ofTheFailing = new AtomicInteger();
        queue.changes = id -> {
            if (id.equals("other")) {
                ofTheOther.incrementAndGet();
                return null;
            }
            ofTheFailing.incrementAndGet();
            return fails.get() ? failure("InternalError", false) : null;
        };
        queue.send("slow", "g");
        queue.send("other", "g");
        SqsSource source = start(1, Duration.ofSeconds(12));
        await().atMost(PATIENCE).until(() -> ofTheFailing.get() >= 3);
        assertThat(ofTheOther).hasValue(1);
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("hidden", "1 of 1", "InternalError");
        fails.set(false);
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Tag("E2")
    @Test
    void startsWhileTheConsumerIsPausedCountNoDeliveries() {
        Author ann = new Author("ann", "a flood");
        Admin.of(store).pause("test", ann);
        queue.send("a", "g");
        for (int i = 0; i < 3; i++) {
            SqsSource source = start(1);
            awaitState(source, SourceState.WAITING_FOR_STORE);
            assertThat(source.problems())
                    .singleElement()
                    .asString()
                    .contains("consumer 'test' is paused", "Admin.resume")
                    .doesNotContain("Exception");
            source.close();
        }
        assertThat(queue.receivesOf("a")).isZero();
        Admin.of(store).resume("test", ann);
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> effects.contains("a"));
        awaitState(source, SourceState.RUNNING);
        await().atMost(PATIENCE).until(() -> queue.left() == 0);
    }

    @Tag("E2")
    @Test
    void queueThatIsNotThereCostsTheDatabaseNothing() {
        CrashPlan plan = CrashPlan.none();
        Inbox<InMemoryContext> watched = Inbox.builder("watched", new CrashingStore<>(store, plan))
                .defaultType("text")
                .handle("text", PayloadDecoder.text(), (text, context) -> context.defer(() -> effects.add(text)))
                .build();
        queue.isThere = false;
        queue.send("a", "g");
        SqsSource source = SqsSource.of(watched, queue, FakeQueue.NAME);
        started.add(source);
        source.start();
        await().atMost(PATIENCE).until(() -> queue.lookUps.get() > 2);
        awaitState(source, SourceState.WAITING_FOR_BROKER);
        assertThat(plan.passages(CrashPoint.BEFORE_CLAIM)).isZero();
        queue.isThere = true;
        await().atMost(PATIENCE).until(() -> effects.contains("a"));
        awaitState(source, SourceState.RUNNING);
    }

    @Tag("E5")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void sourceOfWhichAThreadCannotBeStartedLeavesNothingOpen(int which) {
        queue.endWaits();
        Inbox<InMemoryContext> another = Inbox.builder("without-a-thread", InMemoryStore.create())
                .defaultType("text")
                .handle("text", PayloadDecoder.text(), (text, context) -> {})
                .build();
        SqsSource begun = SqsSource.builder(another, queue, "https://queues/" + FakeQueue.NAME)
                .pollers(2)
                .build();
        AtomicInteger threads = new AtomicInteger();

        assertThatThrownBy(() -> begun.start(task -> {
                    if (threads.incrementAndGet() == which) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    return new Thread(task);
                }))
                .isInstanceOf(OutOfMemoryError.class);

        assertThat(begun.state()).isEqualTo(SourceState.CLOSED);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.contains("without-a-thread")));
    }

    @Tag("E5")
    @Test
    void messageThatCannotBeHandedInEndsNothing() {
        queue.send("bad", "one", message -> message.body(null));
        queue.send("good", "two");
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> effects.contains("good"));
        assertThat(source.failure()).isNull();
    }

    /** What its handler does to the process costs no further delivery: the queue has nothing of it any more. */
    @Tag("E2")
    @Test
    void messageDeliveredMoreOftenThanTheCrashLimitIsStoredAndLeavesTheQueueBeforeItsHandlerRuns() {
        queue.send(
                "suspect",
                "g",
                message -> message.attributes(Map.of(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT, "4")));
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> queue.left() == 0);
        assertThat(effects).isEmpty();
        assertThat(store.work("test")).hasSize(1);
        inbox.work();
        assertThat(effects).containsExactly("suspect");
        awaitState(source, SourceState.RUNNING);
    }

    @Tag("E11")
    @Test
    void closingOnAnInterruptedThreadGivesBackWhatWaits() throws InterruptedException {
        queue.send("slow", "first");
        SqsSource source = start(1);
        assertThat(inWork.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 38; i++) {
            queue.send("m" + i, "g" + i);
        }
        await().atMost(PATIENCE).until(() -> queue.visible() == 0);
        // What is given back must not be received again by the source itself.
        await().atMost(PATIENCE).until(() -> queue.waiting() == 1);
        queue.endWaits();
        AtomicBoolean interruptedAfterwards = new AtomicBoolean();
        Thread closing = new Thread(
                () -> {
                    Thread.currentThread().interrupt();
                    source.close();
                    interruptedAfterwards.set(Thread.currentThread().isInterrupted());
                },
                "closing");
        closing.start();
        await().atMost(PATIENCE).until(() -> queue.visible() == 38);
        assertThat(closing.isAlive()).isTrue();
        mayEnd.countDown();
        closing.join(PATIENCE.toMillis());
        assertThat(effects).containsExactly("slow");
        assertThat(queue.left()).isEqualTo(38);
        assertThat(interruptedAfterwards).isTrue();
    }

    @Tag("E11")
    @Test
    void closingCountsOneDeliveryMoreAtMostHoweverManyPollersWait() throws InterruptedException {
        queue.send("slow", "first");
        SqsSource source = start(4);
        assertThat(inWork.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        queue.send("waits", "second");
        await().atMost(PATIENCE).until(() -> queue.visible() == 0 && queue.waiting() == 4);
        Thread closing = new Thread(source::close, "closing");
        closing.start();
        await().atMost(PATIENCE).until(() -> queue.receivesOf("waits") == 2);
        mayEnd.countDown();
        closing.join(PATIENCE.toMillis());
        assertThat(queue.visible()).isZero();
        queue.endWaits();
        await().atMost(PATIENCE).until(() -> queue.visible() == 1);
        assertThat(queue.receivesOf("waits")).isEqualTo(2);
    }

    @Tag("E12")
    @Test
    void deletersThatDoNotComeBackAreTold() throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch comesBack = new CountDownLatch(1);
        queue.whenDeleted(() -> {
            called.countDown();
            try {
                comesBack.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        queue.send("a", "g");
        SqsSource source = start(1);
        assertThat(called.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
        skipped.set(Duration.ofMinutes(2).toNanos());
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        assertThat(source.problems()).hasSize(1).first().asString().contains("deletes");
        comesBack.countDown();
        await().atMost(PATIENCE).until(() -> queue.left() == 0);
        awaitState(source, SourceState.RUNNING);
    }

    @Tag("E12")
    @Test
    void deletionThatThrowsWhateverIsTriedAgain() {
        AtomicLong failures = new AtomicLong();
        queue.whenDeleted(() -> {
            if (failures.incrementAndGet() <= 3) {
                throw new IllegalStateException("the token server is away");
            }
        });
        queue.send("a", "g");
        SqsSource source = start(1);
        await().atMost(PATIENCE).until(() -> queue.left() == 0);
        assertThat(source.failure()).isNull();
        awaitState(source, SourceState.RUNNING);
    }

    /** Until it is deleted SQS holds back its group, here for twelve hours. */
    @Tag("E5")
    @Test
    void deletionThatThrowsAnErrorIsToldAndTriedAgainWhileTheMessageIsHidden() {
        AtomicBoolean fails = new AtomicBoolean(true);
        queue.whenDeleted(() -> {
            if (fails.get()) {
                throw new NoClassDefFoundError("of the SDK");
            }
        });
        queue.send("first", "g");
        SqsSource source = start(1, Duration.ofHours(12));
        awaitState(source, SourceState.DEGRADED);
        assertThat(source.problems())
                .singleElement()
                .asString()
                .contains("deleting", NoClassDefFoundError.class.getName(), "of the SDK");
        queue.send("second", "g");
        fails.set(false);
        await().atMost(PATIENCE).until(() -> effects.contains("second") && queue.left() == 0);
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Tag("E5")
    @Test
    void deletionIsTriedAgainAlsoWhereThereIsNoMemoryToNoteThatItFailed() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger withoutMemory = new AtomicInteger();
        queue.whenDeleted(() -> {
            if (calls.incrementAndGet() == 1) {
                withoutMemory.set(2);
                throw new OutOfMemoryError("for a moment");
            }
        });
        queue.send("a", "g");
        SqsSource source = SqsSource.builder(inbox, queue, "https://queues/" + FakeQueue.NAME)
                .visibilityTimeout(Duration.ofHours(12))
                .pollers(1)
                .build(() -> {
                    if (Thread.currentThread().getName().endsWith("-deleter")
                            && withoutMemory.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        throw new OutOfMemoryError("for another moment");
                    }
                    return System.nanoTime();
                });
        started.add(source);
        source.start();
        await().atMost(PATIENCE).until(() -> queue.left() == 0);
        awaitState(source, SourceState.RUNNING);
    }

    @Tag("E5")
    @Test
    void prolongationThatThrowsAnErrorIsToldAndTriedAgain() {
        AtomicInteger calls = new AtomicInteger();
        AtomicBoolean fails = new AtomicBoolean(true);
        queue.whenHidden(() -> {
            calls.incrementAndGet();
            if (fails.get()) {
                throw new NoClassDefFoundError("of the SDK");
            }
        });
        queue.send("slow", "g");
        SqsSource source = start(1, Duration.ofSeconds(3));
        awaitState(source, SourceState.DEGRADED);
        assertThat(source.problems())
                .singleElement()
                .asString()
                .contains("hidden", NoClassDefFoundError.class.getName(), "of the SDK");
        int before = calls.get();
        await().atMost(PATIENCE).until(() -> calls.get() > before);
        fails.set(false);
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    /** Each in a receive of its own. */
    private void sendGoodAndBad() {
        for (int i = 0; i < 8; i++) {
            queue.send("good" + i, "good" + i);
            queue.send("bad" + i, "bad" + i);
        }
    }

    private static void failAtTheBad(String id) {
        if (id.startsWith("bad")) {
            throw new NoClassDefFoundError("of the SDK");
        }
    }

    @Tag("E5")
    @Test
    void errorsAtProlongingSomeMessagesKeepNoOthersFromBeingProlonged() throws InterruptedException {
        Set<String> prolonged = ConcurrentHashMap.newKeySet();
        queue.changes = id -> {
            failAtTheBad(id);
            prolonged.add(id);
            return null;
        };
        queue.send("slow", "g");
        start(1, Duration.ofSeconds(3));
        assertThat(inWork.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        sendGoodAndBad();
        await().atMost(PATIENCE.dividedBy(2)).until(() -> prolonged.size() == 9);
    }

    @Tag("E11")
    @Test
    void errorsAtGivingBackSomeMessagesKeepNoOthersFromBeingGivenBack() throws InterruptedException {
        queue.changes = id -> {
            failAtTheBad(id);
            return null;
        };
        queue.send("slow", "g");
        SqsSource source = start(1);
        assertThat(inWork.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        sendGoodAndBad();
        await().atMost(PATIENCE).until(() -> queue.visible() == 0);
        // What is given back must not be received again by the source itself.
        await().atMost(PATIENCE).until(() -> queue.waiting() == 1);
        queue.endWaits();
        Thread closing = new Thread(source::close, "closing");
        closing.start();
        await().atMost(PATIENCE).until(() -> queue.visible() > 0);
        mayEnd.countDown();
        closing.join(PATIENCE.toMillis());
        await().atMost(PATIENCE).until(() -> queue.visible() == 8);
    }

    /** Each source has threads of its own; they share a node and a database. */
    @Tag("E2")
    @Test
    void queueThatHangsAndQueueThatRefusesStarveNoOther() throws InterruptedException {
        FakeQueue hanging = new FakeQueue();
        FakeQueue refusing = new FakeQueue();
        CountDownLatch answers = new CountDownLatch(1);
        CountDownLatch hangs = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            hanging.receives.add(() -> {
                hangs.countDown();
                try {
                    answers.await();
                } catch (InterruptedException e) {
                    return e;
                }
                return SdkClientException.create("no answer");
            });
        }
        for (int i = 0; i < 1_000; i++) {
            refusing.receives.add(() -> refusal("AccessDenied"));
        }
        SqsSource first = SqsSource.of(inbox, hanging, "https://queues/" + FakeQueue.NAME);
        SqsSource second = SqsSource.of(inbox, refusing, "https://queues/" + FakeQueue.NAME);
        SqsSource good = SqsSource.of(inbox, queue, "https://queues/" + FakeQueue.NAME);
        Node node =
                Node.builder(store).source(first).source(second).source(good).start();
        assertThat(hangs.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        awaitState(second, SourceState.FAILED);
        for (int i = 0; i < 50; i++) {
            queue.send("m" + i, "g" + i % 5);
        }
        await().atMost(PATIENCE).until(() -> effects.size() == 50 && queue.left() == 0);
        assertThat(good.state()).isEqualTo(SourceState.RUNNING);
        queue.endWaits();
        node.close();
        assertThat(good.state()).isEqualTo(SourceState.CLOSED);
        answers.countDown();
        hanging.endWaits();
    }

    @Tag("E5")
    @Test
    void boundsIsUnknownWhereAProviderOfCredentialsThrows() {
        SqsSource source = SqsSource.of(inbox, queue, "https://queues/" + FakeQueue.NAME);
        assertThat(source.redeliveryWindow().kind()).isEqualTo(RedeliveryWindow.Kind.UNKNOWN);
        assertThat(source.redeliveryWindow().toString()).contains("the token server is away");
    }
}
