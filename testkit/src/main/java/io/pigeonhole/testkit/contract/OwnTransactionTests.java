package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.pigeonhole.core.failure.ClaimRefusedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Claims in a transaction of the application's own. */
abstract class OwnTransactionTests<C extends HandlerContext> extends InboxLab<C> {
    OwnTransactionTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void claimedMessageIsADuplicateForTheInbox() {
        Inbox<C> inbox = writing();
        Message message = message("x");
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.claim(message, own.ledger())).isTrue();
            own.write("mine");
            own.commit();
        }
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("mine");
    }

    @Test
    void claimThatIsRolledBackIsGoneWithItsWork() {
        Inbox<C> inbox = writing();
        Message message = message("x");
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.claim(message, own.ledger())).isTrue();
            own.write("mine");
        }
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void processedMessageIsNotClaimedAgain() {
        Inbox<C> inbox = writing();
        Message message = message("x");
        inbox.process(message);
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.claim(message, own.ledger())).isFalse();
        }
    }

    /** The caller receives the messages: a refusal would cost them at a broker that counts deliveries. */
    @Test
    void claimsGoOnWhileTheConsumerIsPaused() {
        Inbox<C> inbox = writing();
        Message message = message("x");
        fixture.pause(inbox.consumer(), true);
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.claim(message, own.ledger())).isTrue();
            assertThat(inbox.claim(message, own.ledger())).isFalse();
        }
    }

    @Test
    void messageIsClaimedOnceInOneTransaction() {
        Inbox<C> inbox = writing();
        Message message = message("x");
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.claim(message, own.ledger())).isTrue();
            assertThat(inbox.claim(message, own.ledger())).isFalse();
        }
    }

    @Test
    void manyThreadsClaimAMessageOnce() throws Exception {
        Inbox<C> inbox = writing();
        for (Message message : messages(4)) {
            List<Boolean> claims = threads.together(4, thread -> {
                try (CallersTransaction own = fixture.begin()) {
                    boolean mine = inbox.claim(message, own.ledger());
                    own.commit();
                    return mine;
                }
            });
            assertThat(claims).containsOnlyOnce(true);
        }
    }

    @Test
    void containsTellsWhatWasAccepted() {
        Inbox<C> inbox = inbox((payload, context) -> {
            if (payload.equals("failing")) {
                throw new IllegalStateException("as it says");
            }
        });
        Message processed = message("fine");
        Message parked = message("failing");
        inbox.process(List.of(processed, parked));
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.contains(processed, own.ledger())).isTrue();
            assertThat(inbox.contains(parked, own.ledger())).isTrue();
            assertThat(inbox.contains(message("unseen"), own.ledger())).isFalse();
        }
    }

    @Test
    void messageWithoutUsableIdCannotBeClaimed() {
        Inbox<C> inbox = writing();
        Message without = Message.builder("notes").type(TYPE).payload("x").build();
        Message tooLong = message("x".repeat(5_000), "x");
        try (CallersTransaction own = fixture.begin()) {
            assertThat(refusal(() -> inbox.claim(without, own.ledger()))).isEqualTo(DeadReason.NO_ID);
            assertThat(refusal(() -> inbox.contains(without, own.ledger()))).isEqualTo(DeadReason.NO_ID);
            assertThat(refusal(() -> inbox.claim(tooLong, own.ledger()))).isEqualTo(DeadReason.ID_TOO_LONG);
            assertThat(refusal(() -> inbox.contains(tooLong, own.ledger()))).isEqualTo(DeadReason.ID_TOO_LONG);
        }
    }

    @Test
    void messageOutsideTheLedgersDaysCannotBeClaimed() {
        Inbox<C> inbox = writing();
        Instant later = Ids.now().plus(Duration.ofHours(1));
        Message late = message(Ids.timeOrdered(later.minusSeconds(1)), "late");
        Message future = message(Ids.timeOrdered(fixture.beyondTheLedger()), "future");
        fixture.ledgerBounds(later);
        try (CallersTransaction own = fixture.begin()) {
            for (Message message : List.of(late, future)) {
                assertThatThrownBy(() -> inbox.claim(message, own.ledger()))
                        .isInstanceOf(ClaimRefusedException.class)
                        .hasMessageContaining("ledger");
            }
            assertThat(refusal(() -> inbox.claim(late, own.ledger()))).isEqualTo(DeadReason.LATE);
            assertThat(refusal(() -> inbox.claim(future, own.ledger()))).isEqualTo(DeadReason.FROM_THE_FUTURE);
        }
    }

    private static DeadReason refusal(ThrowingCallable claim) {
        return catchThrowableOfType(ClaimRefusedException.class, claim).reason();
    }

    @Test
    void lateMessageThatIsStillParkedIsNotNew() {
        Inbox<C> inbox = inbox((payload, context) -> {
            throw new IllegalStateException("not today");
        });
        Message message = message(Ids.timeOrdered(Ids.now().plusSeconds(1)), "x");
        inbox.process(message);
        fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1)));
        try (CallersTransaction own = fixture.begin()) {
            assertThat(inbox.claim(message, own.ledger())).isFalse();
        }
    }
}
