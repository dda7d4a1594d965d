package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HandlerOptions;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** When handlers fail: what fails is kept, and costs only itself. */
abstract class FailureTests<C extends HandlerContext> extends InboxLab<C> {
    private final Map<String, Integer> runs = new HashMap<>();

    FailureTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** Writes, and then fails for these payloads. */
    private Handler<String, C> failingFor(Set<String> payloads) {
        return (payload, context) -> {
            runs.merge(payload, 1, Integer::sum);
            fixture.write(context, payload);
            if (payloads.contains(payload)) {
                throw new IllegalStateException("no " + payload);
            }
        };
    }

    @Test
    void messageThatFailsIsParkedWithItsBytesAndItsAttempt() {
        Message message = message("x");

        Outcome outcome = builder(failingFor(Set.of("x")))
                .retry(RetryPolicy.fixed(Duration.ofMinutes(5)).jitter(0))
                .build()
                .process(message);

        assertThat(outcome)
                .isEqualTo(new Outcome.Parked(1, Duration.ofMinutes(5), "java.lang.IllegalStateException: no x"));
        assertThat(outcome.settled()).isTrue();
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer)).hasSize(1).first().satisfies(parked -> {
            assertThat(parked.id()).isEqualTo(message.id());
            assertThat(parked.payload()).isEqualTo(StoredMessage.hex(message));
            assertThat(parked.attempts()).isEqualTo(1);
        });
    }

    @Test
    void oneFailureInABatchOfFiveHundredCostsOneMessageAndOneTransaction() {
        List<Message> messages = messages(500);

        List<Outcome> outcomes = inbox(failingFor(Set.of("250"))).process(messages);

        assertThat(outcomes.get(250).kind()).isEqualTo(Kind.PARKED);
        assertThat(kinds(outcomes)).filteredOn(kind -> kind == Kind.PROCESSED).hasSize(499);
        assertThat(fixture.effects()).hasSize(499).doesNotHaveDuplicates().doesNotContain("250");
        assertThat(fixture.parked(consumer)).hasSize(1);
        assertThat(transactions()).isEqualTo(2);
    }

    @Test
    void culpritDoesNotRunAgainInTheReplay() {
        inbox(failingFor(Set.of("7"))).process(messages(20));

        assertThat(runs.get("7")).isEqualTo(1);
        assertThat(runs.get("0")).isEqualTo(2);
        assertThat(runs.get("19")).isEqualTo(1);
    }

    @Test
    void tenFailuresInABatchOfFiveHundredCostTenMessages() {
        List<Message> messages = messages(500);
        Set<String> failing = Set.of("0", "31", "32", "33", "100", "101", "250", "480", "498", "499");

        List<Outcome> outcomes = inbox(failingFor(failing)).process(messages);

        for (int i = 0; i < messages.size(); i++) {
            assertThat(outcomes.get(i).kind())
                    .as("message %s", i)
                    .isEqualTo(failing.contains("" + i) ? Kind.PARKED : Kind.PROCESSED);
        }
        assertThat(fixture.effects()).hasSize(490).doesNotHaveDuplicates().doesNotContainAnyElementsOf(failing);
        assertThat(fixture.parked(consumer)).hasSize(10);
        assertThat(transactions()).isCloseTo(2 + 500 / 32, within(3));
    }

    @Test
    void wholeBatchMayFail() {
        List<Message> messages = messages(40);

        assertThat(kinds(inbox(failingFor(Set.copyOf(payloads(messages)))).process(messages)))
                .containsOnly(Kind.PARKED);
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer)).hasSize(40);
    }

    @Test
    void failedMessagesAreParkedInTheOrderOfArrival() {
        List<Message> messages = messages(40);
        Set<String> failing = Set.of("3", "4", "20", "39");

        inbox(failingFor(failing)).process(messages);

        assertThat(fixture.parked(consumer))
                .extracting(StoredMessage::id)
                .containsExactly(
                        messages.get(3).id(),
                        messages.get(4).id(),
                        messages.get(20).id(),
                        messages.get(39).id());
    }

    @Test
    void permanentFailureGoesToTheDeadLettersAtOnce() {
        Message message = message("x");
        Outcome outcome = inbox((payload, context) -> {
                    fixture.write(context, payload);
                    throw new PermanentFailure("the account was closed in 1998");
                })
                .process(message);

        assertThat(outcome).isEqualTo(new Outcome.Dead(DeadReason.PERMANENT_FAILURE, "the account was closed in 1998"));
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(fixture.deadLetters(consumer)).hasSize(1).first().satisfies(dead -> {
            assertThat(dead.reason()).isEqualTo(DeadReason.PERMANENT_FAILURE);
            assertThat(dead.payload()).isEqualTo(StoredMessage.hex(message));
            assertThat(dead.attempts()).isEqualTo(1);
            assertThat(dead.claimed()).isTrue();
        });
    }

    @Test
    void wrappedPermanentFailureIsPermanent() {
        Outcome outcome = inbox((payload, context) -> {
                    throw new IllegalStateException("wrapped", new PermanentFailure("never"));
                })
                .process(message("x"));

        assertThat(outcome.kind()).isEqualTo(Kind.DEAD);
    }

    @Test
    void withoutRetriesTheFirstFailureIsFinal() {
        Inbox<C> inbox =
                builder(failingFor(Set.of("1"))).retry(RetryPolicy.never()).build();

        List<Outcome> outcomes = inbox.process(messages(3));

        assertThat(kinds(outcomes)).containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.PROCESSED);
        assertThat(outcomes.get(1))
                .isEqualTo(new Outcome.Dead(DeadReason.RETRIES_EXHAUSTED, "java.lang.IllegalStateException: no 1"));
        assertThat(fixture.deadLetters(consumer))
                .extracting(StoredMessage::reason)
                .containsExactly(DeadReason.RETRIES_EXHAUSTED);
    }

    @Test
    void typeMayHaveARetryPolicyOfItsOwn() {
        Inbox<C> inbox = builder(failingFor(Set.of("x")))
                .handle(
                        "fragile",
                        PayloadDecoder.text(),
                        failingFor(Set.of("x")),
                        HandlerOptions.standard().retry(RetryPolicy.never()))
                .build();
        Message fragile = Message.builder("notes")
                .id(Ids.opaque())
                .type("fragile")
                .payload("x")
                .build();

        assertThat(kinds(inbox.process(List.of(message("x"), fragile)))).containsExactly(Kind.PARKED, Kind.DEAD);
    }

    @Test
    void listHandlerThatFailsIsReplayedWithListsOfOne() {
        List<Message> messages = messages(40);
        List<Integer> sizes = new ArrayList<>();
        Inbox<C> inbox = builder()
                .handleBatch(TYPE, PayloadDecoder.text(), list -> {
                    sizes.add(list.size());
                    for (var each : list) {
                        fixture.write(each.context(), each.payload());
                    }
                    if (list.stream().anyMatch(each -> each.payload().equals("33"))) {
                        throw new IllegalStateException("one of " + list.size());
                    }
                })
                .build();

        List<Outcome> outcomes = inbox.process(messages);

        assertThat(outcomes.get(33).kind()).isEqualTo(Kind.PARKED);
        assertThat(fixture.effects()).hasSize(39).doesNotHaveDuplicates().doesNotContain("33");
        assertThat(sizes.get(0)).isEqualTo(40);
        assertThat(sizes.subList(1, sizes.size())).containsOnly(1);
    }

    @Test
    void everyThrowableOfAHandlerIsItsMessagesFailure() {
        List<Throwable> thrown = List.of(
                new Exception("checked"), new AssertionError("error"), new StackOverflowError(), new LinkageError());
        Inbox<C> inbox = inbox((payload, context) -> {
            Throwable failure = thrown.get(Integer.parseInt(payload) % 5);
            if (failure instanceof Exception exception) {
                throw exception;
            }
            throw (Error) failure;
        });

        assertThat(kinds(inbox.process(messages(4)))).containsOnly(Kind.PARKED);
    }

    @Test
    void failureTextThatDatabasesRefuseIsKeptAllTheSame() {
        String hostile = "NUL \0, half a pair \uD83D, much " + "x".repeat(100_000);
        Outcome outcome = inbox((payload, context) -> {
                    throw new IllegalStateException(hostile, new IllegalArgumentException(hostile));
                })
                .process(message("x"));

        assertThat(outcome.kind()).isEqualTo(Kind.PARKED);
        assertThat(fixture.parked(consumer)).hasSize(1);
    }

    @Test
    void failureWithoutATextIsKept() {
        Outcome outcome = inbox((payload, context) -> {
                    throw new IllegalStateException();
                })
                .process(message("x"));

        assertThat(outcome.kind()).isEqualTo(Kind.PARKED);
    }

    @Test
    void failingMessageWhoseDuplicateIsInTheBatchIsParkedOnce() {
        Message message = message("x");

        List<Outcome> outcomes = inbox(failingFor(Set.of("x"))).process(List.of(message, message));

        assertThat(kinds(outcomes)).containsExactly(Kind.PARKED, Kind.DUPLICATE);
        assertThat(fixture.parked(consumer)).hasSize(1);
        assertThat(runs.get("x")).isEqualTo(1);
    }

    @Test
    void replayTrustsOnlyItsOwnClaim() {
        Message stolen = message("stolen");
        Message failing = message("x");
        Inbox<C> inbox = inbox(failingFor(Set.of("x")));
        plan.at(CrashPoint.AFTER_ROLLBACK, 1, () -> writing().process(stolen));

        List<Outcome> outcomes = inbox.process(List.of(stolen, failing));

        assertThat(kinds(outcomes)).containsExactly(Kind.DUPLICATE, Kind.PARKED);
        assertThat(fixture.effects()).containsExactly("stolen");
    }

    @Test
    void refusedCommitIsReplayedAndEveryMessageSettled() {
        List<Message> messages = messages(40);
        plan.at(CrashPoint.BEFORE_COMMIT, 1, () -> {
            throw new StoreException(ErrorClass.MESSAGE, "a deferred constraint", null);
        });

        assertThat(kinds(writing().process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
    }

    @Test
    void messageWhoseConstraintFailsInIsolationIsParked() {
        List<Message> messages = messages(5);
        plan.at(CrashPoint.BEFORE_COMMIT, 1, () -> {
            throw new StoreException(ErrorClass.MESSAGE, "a deferred constraint", null);
        });
        plan.at(CrashPoint.BEFORE_CHECK_CONSTRAINTS, 3, () -> {
            throw new StoreException(ErrorClass.MESSAGE, "a deferred constraint", null);
        });

        List<Outcome> outcomes = writing().process(messages);

        assertThat(kinds(outcomes))
                .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1", "3", "4");
    }

    @Test
    void deferredWriteThatFailsIsItsMessagesFailure() {
        List<Message> messages = messages(5);
        Inbox<C> inbox = inbox((payload, context) -> fixture.defer(context, payload));
        Message culprit = messages.get(3);
        var keys = store.register(new ConsumerRegistration(consumer, IdForm.TIME_ORDERED))
                .keys();
        plan.at(CrashPoint.BEFORE_FLUSH, 1, () -> {
            throw new DeferredWriteException(
                    ErrorClass.MESSAGE,
                    keys.keyOf(culprit.source(), Objects.requireNonNull(culprit.id())),
                    "expected 1 row, got 0",
                    null);
        });

        List<Outcome> outcomes = inbox.process(messages);

        assertThat(kinds(outcomes))
                .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1", "2", "4");
        assertThat(transactions()).isEqualTo(2);
    }

    @Test
    void hiddenFailureOfAHandlerIsFoundAndOnlyItParked() {
        List<Message> messages = messages(5);
        plan.at(CrashPoint.BEFORE_COMMIT, 1, () -> {
            throw new StoreException(ErrorClass.ABORTED, "the transaction is aborted", null);
        });
        plan.at(CrashPoint.BEFORE_FLUSH, 4, () -> {
            throw new StoreException(ErrorClass.ABORTED, "the transaction is aborted", null);
        });

        List<Outcome> outcomes = writing().process(messages);

        assertThat(kinds(outcomes))
                .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED, Kind.PROCESSED);
    }

    @Test
    void handlerThatIsAwayForTooLongIsItsMessagesFailure() {
        Inbox<C> inbox = builder((payload, context) -> {
                    fixture.write(context, payload);
                    if (payload.equals("1")) {
                        assertThat(new CountDownLatch(1).await(2400, TimeUnit.MILLISECONDS))
                                .isFalse();
                    }
                })
                .handlerTimeout(Duration.ofMillis(800))
                .build();
        List<Message> messages = messages(3);

        for (int delivery = 0; delivery < 3; delivery++) {
            try {
                inbox.process(messages);
            } catch (RetryableException e) {
                // As a source does: the same once more.
            }
        }
        // What was behind it may have been stored, so that what was before it could be committed.
        inbox.work();

        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "2");
        assertThat(fixture.parked(consumer))
                .extracting(StoredMessage::id)
                .containsExactly(messages.get(1).id());
    }
}
