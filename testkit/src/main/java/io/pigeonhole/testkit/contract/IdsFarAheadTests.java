package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ClaimRefusedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An id whose time lies more than 400 days ahead holds none, and none of its duplicates passes while that time comes nearer. */
abstract class IdsFarAheadTests<C extends HandlerContext> extends InboxLab<C> {
    private static final Duration FAR = Duration.ofDays(400);

    IdsFarAheadTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** A message whose id says that it was made so long after the end of the ledger. */
    private Message madeAhead(Duration duration, String payload) {
        return message(Ids.timeOrdered(fixture.beyondTheLedger().plus(duration)), payload);
    }

    private static MessageKey digestKeyOf(Message message) {
        return KeyScheme.digestKeyOf(message.source(), Objects.requireNonNull(message.id()));
    }

    @Test
    void messageTakesEffectOnce() {
        Inbox<C> inbox = writing();
        Message far = madeAhead(FAR.plusDays(1), "far");
        Message farther = madeAhead(Duration.ofDays(10_000), "farther");
        Message near = message("near");

        assertThat(kinds(inbox.process(List.of(far, near, farther, far))))
                .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.PROCESSED, Kind.DUPLICATE);
        assertThat(kinds(inbox.process(List.of(farther, near, far))))
                .containsExactly(Kind.DUPLICATE, Kind.DUPLICATE, Kind.DUPLICATE);
        assertThat(kinds(writing().process(List.of(far)))).containsExactly(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("far", "near", "farther");
        assertThat(fixture.deadLetters(consumer)).isEmpty();
    }

    @Test
    void duplicateIsRecognisedWhenTheTimeOfItsIdHasComeNearer() {
        Message message = madeAhead(FAR.plusHours(1), "x");
        assertThat(writing().process(message).kind()).isEqualTo(Kind.PROCESSED);

        fixture.advance(Duration.ofDays(2));
        store.maintain();
        Message neverSeen = madeAhead(FAR.minusDays(2), "y");

        assertThat(kinds(writing().process(List.of(message, neverSeen)))).containsExactly(Kind.DUPLICATE, Kind.DEAD);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void messageThatIsNearerIsADeadLetterUnlessItWasAcceptedBefore() {
        Inbox<C> inbox = writing();
        Message accepted = madeAhead(Duration.ofDays(100), "accepted");
        Message neverSeen = madeAhead(Duration.ofDays(100), "never seen");
        try (CallersTransaction earlier = fixture.begin()) {
            earlier.ledger().claim(inbox.registered(), digestKeyOf(accepted));
            earlier.commit();
        }

        List<Outcome> outcomes = inbox.process(List.of(accepted, neverSeen));

        assertThat(kinds(outcomes)).containsExactly(Kind.DUPLICATE, Kind.DEAD);
        assertThat(outcomes.get(1))
                .isInstanceOfSatisfying(
                        Outcome.Dead.class, dead -> assertThat(dead.reason()).isEqualTo(DeadReason.FROM_THE_FUTURE));
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void messageThatAnotherTransactionIsAcceptingIsBusy() {
        Inbox<C> inbox = writing();
        Message message = madeAhead(Duration.ofDays(100), "x");
        try (CallersTransaction elsewhere = fixture.begin()) {
            elsewhere.ledger().claim(inbox.registered(), digestKeyOf(message));
            assertThat(inbox.process(message).kind()).isEqualTo(Kind.BUSY);
            elsewhere.commit();
        }
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.deadLetters(consumer)).isEmpty();
    }

    /** Whoever waited would take the other's question for an acceptance, once it is over, and accept the message in this form only. */
    @Test
    void messageThatAnotherTransactionAsksAboutIsBusyAtOnceAndTakesNoForm() throws Exception {
        Duration longer = Duration.ofSeconds(30);
        Inbox<C> inbox = builder(this::write).concurrentDuplicateTimeout(longer).build();
        Message message = madeAhead(Duration.ofDays(100), "x");
        try (CallersTransaction elsewhere = fixture.begin()) {
            elsewhere.ledger().claim(inbox.registered(), digestKeyOf(message));
            CompletableFuture<Outcome> outcome = CompletableFuture.supplyAsync(() -> inbox.process(message));
            assertThat(outcome.get(longer.toSeconds() / 2, TimeUnit.SECONDS).kind())
                    .isEqualTo(Kind.BUSY);
        }
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DEAD);
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void failedMessageIsTriedAgainAndTakesEffectOnce() {
        boolean[] fails = {true};
        Inbox<C> inbox = inbox((payload, context) -> {
            if (fails[0]) {
                throw new IllegalStateException("as it says");
            }
            write(payload, context);
        });
        Message message = madeAhead(FAR.plusDays(1), "x");
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PARKED);
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);

        fails[0] = false;
        fixture.advance(Duration.ofHours(1));
        inbox.work();

        assertThat(fixture.effects()).containsExactly("x");
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
    }

    @Test
    void messageIsClaimedOnceInATransactionOfTheApplicationsOwn() {
        Inbox<C> inbox = writing();
        Message message = madeAhead(FAR.plusDays(1), "x");
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.contains(message, own.ledger())).isFalse();
            assertThat(inbox.claim(message, own.ledger())).isTrue();
            assertThat(inbox.claim(message, own.ledger())).isFalse();
            own.write("mine");
            own.commit();
        }
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.contains(message, own.ledger())).isTrue();
            assertThat(inbox.claim(message, own.ledger())).isFalse();
        }
        assertThat(fixture.effects()).containsExactly("mine");
    }

    @Test
    void nearerMessageThatWasAcceptedIsNotClaimedAndOneThatWasNotIsRefused() {
        Inbox<C> inbox = writing();
        Message accepted = madeAhead(Duration.ofDays(100), "accepted");
        Message neverSeen = madeAhead(Duration.ofDays(100), "never seen");
        try (CallersTransaction own = fixture.begin()) {
            own.ledger().claim(inbox.registered(), digestKeyOf(accepted));
            own.commit();
        }
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.claim(accepted, own.ledger())).isFalse();
            assertThat(inbox.contains(neverSeen, own.ledger())).isFalse();
            assertThatThrownBy(() -> inbox.claim(neverSeen, own.ledger()))
                    .isInstanceOf(ClaimRefusedException.class)
                    .hasMessageContaining("the ledger ends at");
        }
    }

    @Test
    void timeOfTheIdThatHasComeIsATime() {
        Inbox<C> inbox = writing();
        Message message = message(Ids.timeOrdered(Ids.now().plus(Duration.ofHours(1))), "x");
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        try (CallersTransaction own = fixture.begin()) {
            assertThat(own.ledger().contains(inbox.registered(), digestKeyOf(message)))
                    .isFalse();
        }
    }
}
