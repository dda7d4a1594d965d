package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.ExternalContext;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work under leases: effects elsewhere, and messages that may have killed a process. */
abstract class ExternalHandlerTests<C extends HandlerContext> extends FlowLab<C> {
    private static final Duration BEYOND_THE_LEASE = Duration.ofMinutes(2);

    private final List<String> lost = new ArrayList<>();

    ExternalHandlerTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private InboxBuilder<C> calling(BiConsumer<String, ExternalContext> call) {
        return builder()
                .handleExternal(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    runs.add(payload + " " + context.attempt());
                    call.accept(payload, context);
                    failIfItMust(payload, context);
                    Completion<C> completion = each -> fixture.write(each, payload);
                    return completion;
                })
                .retry(RETRY)
                .listener(new InboxListener() {
                    @Override
                    public void onLeaseLost(String name, Message message) {
                        lost.add(payload(message));
                    }
                });
    }

    private Inbox<C> calling() {
        return calling((payload, context) -> {}).build();
    }

    @Test
    void completionIsWrittenOnce() {
        Inbox<C> inbox = calling();
        Message message = message("x");

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.RECEIVED);
        assertThat(runs).isEmpty();
        assertThat(inbox.work()).isEqualTo(1);
        assertThat(inbox.work()).isZero();
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void attemptIsCountedBeforeTheHandlerRunsAndOutsideATransaction() {
        List<String> seen = new ArrayList<>();
        Inbox<C> inbox = calling((payload, context) -> {
                    seen.add(plan.passages(CrashPoint.AFTER_LEASE) + " leases, " + plan.passages(CrashPoint.AFTER_HOLD)
                            + " holds");
                    fixture.advance(Duration.ZERO);
                })
                .build();
        inbox.process(message("x"));
        plan.at(CrashPoint.AFTER_HOLD, 1, () -> {
            throw new InternalError("the process dies");
        });
        assertThatThrownBy(inbox::work).isInstanceOf(InternalError.class);

        fixture.advance(BEYOND_THE_LEASE);
        inbox.work();
        workLater(inbox);
        assertThat(seen).containsExactly("1 leases, 0 holds", "2 leases, 1 holds");
        assertThat(runs).containsExactly("x 1", "x 2");
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void failureIsParkedAndItsKeyForTheOtherSystemStays() {
        List<String> keys = new ArrayList<>();
        Inbox<C> inbox = calling((payload, context) -> {
                    keys.add(context.idempotencyKey("charge"));
                    keys.add(context.idempotencyKey("mail"));
                })
                .build();
        fail("x", 1);
        Message message = message("x");
        inbox.process(message);
        inbox.work();

        assertThat(parked()).containsExactly("x");
        assertThat(fixture.attempts(consumer, keyOf(inbox, message)))
                .containsExactly("1: java.lang.IllegalStateException: no x 1");
        workLater(inbox);
        assertThat(keys.get(0)).isEqualTo(keys.get(2)).isNotEqualTo(keys.get(1));
        assertThat(keys.get(1)).isEqualTo(keys.get(3));
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void permanentFailureAndUndecodablePayloadAreDead() {
        Inbox<C> inbox = calling((payload, context) -> {
                    throw new PermanentFailure("never");
                })
                .handleExternal(
                        "number",
                        message -> Integer.valueOf(payload(message)),
                        (number, context) -> Completion.nothing())
                .build();
        inbox.process(List.of(message("x"), typed("k", "number", "y")));
        inbox.work();

        assertThat(dead()).containsExactlyInAnyOrder("x PERMANENT_FAILURE", "y UNDECODABLE");
    }

    @Test
    void completionThatFailsIsTheFailureOfTheAttempt() {
        Inbox<C> inbox = builder()
                .handleExternal(TYPE, PayloadDecoder.text(), (payload, context) -> each -> run(payload, each))
                .retry(RETRY)
                .build();
        fail("x", 1);
        inbox.process(message("x"));
        inbox.work();
        assertThat(fixture.effects()).isEmpty();
        assertThat(parked()).containsExactly("x");

        workLater(inbox);
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(runs).containsExactly("x 1", "x 2");
    }

    @Test
    void lateCompletionOfAnExpiredLeaseIsRefused() {
        Inbox<C> other = calling();
        Inbox<C> slow = calling((payload, context) -> {
                    fixture.advance(BEYOND_THE_LEASE);
                    other.work();
                    assertThat(parked()).containsExactly("x");
                })
                .node("the slow one")
                .build();
        Message message = message("x");
        slow.process(message);
        slow.work();

        assertThat(fixture.effects()).isEmpty();
        assertThat(lost).containsExactly("x");
        assertThat(fixture.attempts(consumer, keyOf(slow, message)))
                .singleElement()
                .asString()
                .startsWith("1: io.pigeonhole.core.failure.LeaseExpiredException: the lease of 'the slow one' ran out");
        workLater(other);
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(runs).containsExactly("x 1", "x 2");
    }

    @Test
    void heartbeatKeepsTheLeaseOfALongHandler() {
        Inbox<C> other = calling();
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        plan.at(CrashPoint.AFTER_HEARTBEAT, 1, first::countDown);
        plan.at(CrashPoint.AFTER_HEARTBEAT, 2, second::countDown);
        Inbox<C> slow = calling((payload, context) -> {
                    await(first);
                    fixture.advance(Duration.ofMillis(1_500));
                    await(second);
                    fixture.advance(Duration.ofMillis(1_500));
                    assertThat(other.work()).isZero();
                    assertThat(context.isLeaseLost()).isFalse();
                })
                .lease(Duration.ofSeconds(3))
                .build();
        slow.process(message("x"));
        slow.work();

        assertThat(lost).isEmpty();
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    @Tag("B11")
    void handlerThatHangsIsInterruptedAndItsAttemptHasFailed() {
        Inbox<C> inbox = builder()
                .handleExternal(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    if (context.attempt() == 1) {
                        assertThat(new CountDownLatch(1).await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS))
                                .isTrue();
                    }
                    Completion<C> completion = each -> fixture.write(each, payload);
                    return completion;
                })
                .lease(Duration.ofSeconds(1))
                .externalTimeout(Duration.ofMillis(1))
                .retry(RETRY)
                .build();
        Message message = message("x");
        inbox.process(message);
        inbox.work();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(parked()).containsExactly("x");
        assertThat(fixture.attempts(consumer, keyOf(inbox, message)))
                .singleElement()
                .asString()
                .startsWith("1: java.util.concurrent.TimeoutException: the handler was interrupted after 1 ms");
        workLater(inbox);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    @Tag("B11")
    void suspectWhoseHandlerHangsIsInterruptedAndItsAttemptHasFailed() {
        Inbox<C> inbox = builder((payload, context) -> {
                    fixture.write(context, payload);
                    if (context.attempt() == 1) {
                        assertThat(new CountDownLatch(1).await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS))
                                .isTrue();
                    }
                })
                .crashLimit(1)
                .lease(Duration.ofSeconds(1))
                .handlerTimeout(Duration.ofMillis(100))
                .retry(RETRY)
                .build();
        Message message = Message.builder("notes")
                .id(Ids.opaque())
                .type(TYPE)
                .payload("x")
                .deliveries(2)
                .build();
        inbox.process(message);
        inbox.work();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.attempts(consumer, keyOf(inbox, message)))
                .singleElement()
                .asString()
                .startsWith("1: java.util.concurrent.TimeoutException: the handler was interrupted after 1 s");
        workLater(inbox);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    @Tag("B11")
    void leaseOfAHandlerThatCannotBeInterruptedRunsOut() throws Exception {
        CountDownLatch beat = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        plan.always(CrashPoint.BEFORE_HEARTBEAT, beat::countDown);
        Inbox<C> other = calling();
        Inbox<C> hanging = calling((payload, context) -> await(end))
                .lease(Duration.ofSeconds(1))
                .build();
        hanging.process(message("x"));
        Future<Integer> work = threads.start(hanging::work);
        await(beat);

        hanging.forNodes().stopLeases(worker -> true);
        fixture.advance(BEYOND_THE_LEASE);
        while (parked().isEmpty()) {
            other.work();
            fixture.advance(Duration.ofMinutes(1));
        }
        end.countDown();
        Threads.result(work);

        assertThat(lost).containsExactly("x");
        assertThat(fixture.effects()).isEmpty();
        workLater(other);
        assertThat(fixture.effects()).containsExactly("x");
    }

    /** The next transaction's commit ends with a lost connection. */
    private void loseConnectionBehindTheNextCommit() {
        plan.at(CrashPoint.AFTER_COMMIT, plan.passages(CrashPoint.AFTER_COMMIT) + 1, () -> {
            throw new OutcomeUnknownException("the connection was lost after COMMIT was sent", null);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @Tag("C6")
    void unknownCommitThatHappenedIsNoLostLease(int failures) {
        List<Kind> told = new ArrayList<>();
        fail("x", failures);
        Inbox<C> inbox = calling((payload, context) -> loseConnectionBehindTheNextCommit())
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message message, Outcome outcome) {
                        told.add(outcome.kind());
                    }
                })
                .build();
        inbox.process(message("x"));
        assertThat(inbox.work()).isEqualTo(1);

        assertThat(lost).isEmpty();
        assertThat(told).containsExactly(Kind.RECEIVED, failures == 0 ? Kind.PROCESSED : Kind.PARKED);
        assertThat(runs).containsExactly("x 1");
        assertThat(parked()).hasSize(failures);
        assertThat(fixture.effects()).hasSize(1 - failures);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void suspectOfTheBrokerIsWorkedOnAloneAndUnderALease() {
        Inbox<C> inbox = flow().crashLimit(3).build();
        Message.Builder message = Message.builder("notes").type(TYPE);

        assertThat(inbox.process(message.id(Ids.opaque())
                                .payload("3")
                                .deliveries(3)
                                .build())
                        .kind())
                .isEqualTo(Kind.PROCESSED);
        assertThat(inbox.process(message.id(Ids.opaque())
                                .payload("4")
                                .deliveries(4)
                                .build())
                        .kind())
                .isEqualTo(Kind.RECEIVED);
        assertThat(runs).containsExactly("3 1");
        inbox.work();
        assertThat(plan.passages(CrashPoint.AFTER_LEASE)).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("3", "4");
    }

    @Test
    void messageThatKillsItsWorkersEndsInTheDeadLettersAndTheOthersAreProcessed() {
        List<Message> messages = messages(3);
        killing().receive(messages);
        for (int process = 0; process < 3; process++) {
            Inbox<C> next = killing();
            assertThatThrownBy(next::work).isInstanceOf(InternalError.class);
        }
        for (int round = 0; round < 8; round++) {
            try {
                killing().work();
            } catch (InternalError e) {
                assertThat(e).hasMessage("killed");
            }
            fixture.advance(BEYOND_THE_LEASE);
        }
        assertThat(dead()).containsExactly("1 RETRIES_EXHAUSTED");
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "2");
    }

    /** An inbox in a process of its own, as far as it knows. */
    private Inbox<C> killing() {
        return builder((payload, context) -> {
                    fixture.write(context, payload);
                    if (payload.equals("1")) {
                        // What a handler throws is its failure; a process that dies comes no further than this.
                        plan.at(CrashPoint.BEFORE_FLUSH, plan.passages(CrashPoint.BEFORE_FLUSH) + 1, () -> {
                            throw new InternalError("killed");
                        });
                    }
                })
                .workPartitions(1)
                .crashLimit(3)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(2))
                .build();
    }
}
