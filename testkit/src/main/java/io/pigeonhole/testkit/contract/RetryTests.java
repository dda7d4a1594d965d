package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HandlerOptions;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.inbox.Reception;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that wait are worked on once they are due, as often as their policy says. */
abstract class RetryTests<C extends HandlerContext> extends FlowLab<C> {
    RetryTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void parkedMessageIsWorkedOnWhenItIsDueAndNotBefore() {
        Inbox<C> inbox = flow().history(HistoryMode.WITH_PAYLOAD).build();
        fail("x", 2);
        Message message = message("x");
        inbox.process(message);

        assertThat(inbox.work()).isZero();
        assertThat(workLater(inbox)).isEqualTo(1);
        assertThat(fixture.effects()).isEmpty();
        assertThat(inbox.work()).isZero();
        assertThat(workLater(inbox)).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(runs).containsExactly("x 1", "x 2", "x 3");
        assertThat(fixture.attempts(consumer, keyOf(inbox, message)))
                .containsExactly(
                        "1: java.lang.IllegalStateException: no x 1", "2: java.lang.IllegalStateException: no x 2");
        assertThat(fixture.history(consumer))
                .extracting(StoredMessage::attempts)
                .containsExactly(3);
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
    }

    @Test
    void messageIsDeadAfterTheAttemptsOfItsType() {
        Inbox<C> inbox = flow().handle(
                        "other",
                        PayloadDecoder.text(),
                        this::run,
                        HandlerOptions.standard().retry(RETRY.maxAttempts(2)))
                .retry(RETRY.maxAttempts(3))
                .build();
        fail("x", 9);
        fail("y", 9);
        inbox.process(List.of(message("x"), typed("k", "other", "y")));

        workLater(inbox);
        assertThat(dead()).containsExactly("y RETRIES_EXHAUSTED");
        workLater(inbox);
        assertThat(dead()).containsExactlyInAnyOrder("x RETRIES_EXHAUSTED", "y RETRIES_EXHAUSTED");
        assertThat(workLater(inbox)).isZero();
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void messageIsDeadWhenItWouldBeTooOld() {
        Inbox<C> inbox = flow().retry(RETRY.maxAge(LATER.multipliedBy(2)).maxAttempts(99))
                .build();
        fail("x", 9);
        inbox.process(message("x"));
        fixture.advance(LATER.plusMinutes(1));

        inbox.work();
        assertThat(dead()).containsExactly("x RETRIES_EXHAUSTED");
    }

    @Test
    void delaysOfAFunctionAreKept() {
        Inbox<C> inbox = flow().retry(RetryPolicy.custom(attempts -> LATER.multipliedBy(attempts))
                        .jitter(0))
                .build();
        fail("x", 2);
        inbox.process(message("x"));

        assertThat(workLater(inbox)).isEqualTo(1);
        assertThat(workLater(inbox)).isZero();
        assertThat(workLater(inbox)).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void ignoredFailureFinishesTheMessageWithoutItsEffect() {
        Inbox<C> inbox = flow().retry(RETRY.on(IllegalStateException.class, Reaction.IGNORE))
                .build();
        fail("1", 9);
        List<Message> messages = messages(3);

        assertThat(kinds(inbox.process(messages))).containsExactly(Kind.PROCESSED, Kind.IGNORED, Kind.PROCESSED);
        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.DUPLICATE);
        inbox.receive(message("1"));
        assertThat(inbox.work()).isEqualTo(1);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "2");
        assertThat(workLater(inbox)).isZero();
    }

    @Test
    void reactionGivesUpAtOnce() {
        Inbox<C> inbox =
                flow().retry(RETRY.on(RuntimeException.class, Reaction.GIVE_UP)).build();
        fail("x", 9);

        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.DEAD);
        assertThat(dead()).containsExactly("x PERMANENT_FAILURE");
    }

    @Test
    void failuresInABatchOfAWorkerCostOnlyThemselves() {
        Inbox<C> inbox = flow().workPartitions(1).build();
        List<String> failing = List.of("3", "40", "41", "99");
        failing.forEach(payload -> fail(payload, 1));
        inbox.receive(messages(100));

        assertThat(inbox.work()).isEqualTo(100);
        assertThat(fixture.effects()).hasSize(96).doesNotHaveDuplicates().doesNotContainAnyElementsOf(failing);
        assertThat(parked()).containsExactlyElementsOf(failing);
        assertThat(workLater(inbox)).isEqualTo(4);
        assertThat(fixture.effects()).hasSize(100).doesNotHaveDuplicates();
    }

    @Test
    void errorThatPassesCostsNoAttemptInAWorker() {
        AtomicInteger calls = new AtomicInteger();
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            if (calls.incrementAndGet() <= 2) {
                throw new StoreException(ErrorClass.RETRY_NOW, "could not serialize access", null);
            }
        });
        Message message = message("x");
        inbox.receive(message);

        assertThat(inbox.work()).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(fixture.attempts(consumer, keyOf(inbox, message))).isEmpty();
    }

    @Test
    void receivedMessagesWaitForWorkInTheirOrder() {
        Inbox<C> inbox = flow().workPartitions(1).reception(Reception.STORE).build();
        List<Message> messages = messages(30);

        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.RECEIVED);
        assertThat(kinds(inbox.receive(messages))).containsOnly(Kind.DUPLICATE);
        assertThat(runs).isEmpty();
        assertThat(inbox.work()).isEqualTo(30);
        assertThat(fixture.effects()).containsExactlyElementsOf(payloads(messages));
    }

    @Test
    void messagesThatNobodyCanHandleAreDeadInWorkToo() {
        Inbox<C> inbox = builder()
                .handle(TYPE, message -> Integer.valueOf(payload(message)), (number, context) -> {})
                .handle(
                        "small",
                        PayloadDecoder.text(),
                        this::run,
                        HandlerOptions.standard().payloadLimit(2))
                .build();
        inbox.receive(List.of(message("no number"), typed("k", "unknown", "u"), typed("k", "small", "large")));

        assertThat(dead()).containsExactly("u UNKNOWN_TYPE");
        assertThat(inbox.work()).isEqualTo(2);
        assertThat(dead()).containsExactlyInAnyOrder("no number UNDECODABLE", "u UNKNOWN_TYPE", "large TOO_LARGE");
    }

    @Test
    void listenersAreToldWhatWorkersDid() {
        List<Kind> told = new ArrayList<>();
        Inbox<C> inbox = flow().listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message message, Outcome outcome) {
                        told.add(outcome.kind());
                    }
                })
                .build();
        fail("x", 1);
        inbox.receive(message("x"));
        inbox.work();
        workLater(inbox);

        assertThat(told).containsExactly(Kind.RECEIVED, Kind.PARKED, Kind.PROCESSED);
    }

    @Test
    void manyWorkersHandleEachMessageOnce() throws Exception {
        Inbox<C> inbox = flow().workBatch(7).build();
        List<Message> messages = messages(200);
        inbox.receive(messages);

        List<Integer> counts = threads.together(4, thread -> inbox.work());
        int rest = inbox.work();
        assertThat(counts.stream().mapToInt(Integer::intValue).sum() + rest).isEqualTo(200);
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
    }

    @Test
    @Tag("B10")
    void largeMessagesAreWorkedOnInSmallBatches() {
        Map<Integer, Integer> messagesOfTransactions = new HashMap<>();
        Inbox<C> inbox = builder((payload, context) -> {
                    messagesOfTransactions.merge(transactions(), 1, Integer::sum);
                    fixture.write(context, payload.substring(0, 1));
                })
                .workPartitions(1)
                .workBytes(25_000)
                .build();
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            messages.add(message(i + "x".repeat(10_000)));
        }
        inbox.receive(messages);

        assertThat(inbox.work()).isEqualTo(6);
        assertThat(messagesOfTransactions.values()).containsExactly(2, 2, 2);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5");
    }

    @Test
    void consumersDoNotDisturbEachOther() {
        Inbox<C> one = flow().build();
        consumer = randomName();
        Inbox<C> other = flow().build();
        Message message = message("x");
        one.receive(message);

        assertThat(other.receive(message).kind()).isEqualTo(Kind.RECEIVED);
        assertThat(other.work()).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(one.work()).isEqualTo(1);
    }

    @Test
    void pausedConsumerDoesNothingUntilItIsResumed() {
        Inbox<C> inbox = flow().build();
        inbox.receive(message("x"));
        fixture.pause(consumer, true);

        assertThatThrownBy(() -> inbox.process(message("y"))).isInstanceOf(ConsumerPausedException.class);
        assertThat(inbox.work()).isZero();
        fixture.pause(consumer, false);
        assertThat(inbox.work()).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void claimThatIsProbedIsRefusedWhileTheConsumerIsPausedOnly() {
        Inbox<C> inbox = flow().build();
        inbox.forSources().probeClaim();
        fixture.pause(consumer, true);
        assertThatThrownBy(inbox.forSources()::probeClaim).isInstanceOf(ConsumerPausedException.class);
        fixture.pause(consumer, false);
        inbox.forSources().probeClaim();
        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PROCESSED);
    }
}
