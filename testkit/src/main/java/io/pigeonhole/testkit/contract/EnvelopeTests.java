package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HandlerOptions;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What cannot be handled is kept as it came, and nothing else suffers from it. */
abstract class EnvelopeTests<C extends HandlerContext> extends InboxLab<C> {
    private static final byte[] NOT_UTF_8 = {(byte) 0xC3, 0x28, 0, 1, (byte) 0xFF};

    EnvelopeTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** Processes it between two good ones, and finds it among the dead letters. */
    private StoredMessage deadLettered(Inbox<C> inbox, Message message, DeadReason reason) {
        Message before = message("before");
        Message after = message("after");

        List<Outcome> outcomes = inbox.process(List.of(before, message, after));

        assertThat(kinds(outcomes)).containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.PROCESSED);
        assertThat(outcomes.get(1)).isInstanceOfSatisfying(Outcome.Dead.class, dead -> {
            assertThat(dead.reason()).isEqualTo(reason);
            assertThat(dead.detail()).isNotBlank();
            assertThat(dead.settled()).isTrue();
        });
        assertThat(fixture.effects()).containsExactlyInAnyOrder(payload(before), payload(after));
        assertThat(fixture.deadLetters(consumer)).hasSize(1);
        StoredMessage letter = fixture.deadLetters(consumer).get(0);
        assertThat(letter.reason()).isEqualTo(reason);
        assertThat(letter.id()).isEqualTo(message.id());
        assertThat(letter.payload()).isEqualTo(StoredMessage.hex(message));
        assertThat(letter.headers()).isEqualTo(message.headers());
        assertThat(letter.attempts()).isZero();
        return letter;
    }

    private static Message.Builder odd() {
        return Message.builder("notes")
                .id(Ids.opaque())
                .type(TYPE)
                .headers(Headers.none().with("bytes", NOT_UTF_8).with("none", (byte[]) null));
    }

    @Test
    void undecodablePayloadGoesToTheDeadLettersAsItCame() {
        deadLettered(writing(), odd().payload(NOT_UTF_8).build(), DeadReason.UNDECODABLE);
    }

    @Test
    void messageThatItsAdapterCouldNotReadIsUndecodableWhateverItsHandlerTakes() {
        deadLettered(
                writing(),
                odd().payload("taken for text")
                        .defect("no base64")
                        .origin("here")
                        .build(),
                DeadReason.UNDECODABLE);
    }

    @Test
    void tombstoneThatTheDecoderRefusesIsUndecodable() {
        deadLettered(writing(), odd().build(), DeadReason.UNDECODABLE);
    }

    @Test
    void decoderThatReturnsNullCannotDecode() {
        Inbox<C> inbox = builder(this::write)
                .handle("null", message -> nothing(), (Void payload, C context) -> {})
                .build();
        deadLettered(inbox, odd().type("null").payload("x").build(), DeadReason.UNDECODABLE);
    }

    @SuppressWarnings("NullAway") // What a decoder written without null checks does.
    private static Void nothing() {
        return null;
    }

    @Test
    void tombstoneIsHandedToADecoderThatKnowsIt() {
        Inbox<C> inbox = builder()
                .handle(
                        TYPE,
                        message -> message.isTombstone() ? "deleted" : "kept",
                        (payload, context) -> fixture.write(context, payload))
                .build();
        inbox.process(List.of(odd().build(), odd().payload(new byte[0]).build()));

        assertThat(fixture.effects()).containsExactlyInAnyOrder("deleted", "kept");
    }

    @Test
    void emptyPayloadIsAPayload() {
        assertThat(inbox((payload, context) -> fixture.write(context, "<" + payload + ">"))
                        .process(odd().payload(new byte[0]).build())
                        .kind())
                .isEqualTo(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("<>");
    }

    @Test
    void unknownTypeGoesToTheDeadLetters() {
        deadLettered(writing(), odd().type("unheard of").payload("x").build(), DeadReason.UNKNOWN_TYPE);
    }

    @Test
    void missingTypeIsUnknown() {
        deadLettered(writing(), odd().type(null).payload("x").build(), DeadReason.UNKNOWN_TYPE);
    }

    @Test
    void typeWithNulIsUnknown() {
        deadLettered(writing(), odd().type("note\0").payload("x").build(), DeadReason.UNKNOWN_TYPE);
    }

    @Test
    void tooLargePayloadGoesToTheDeadLetters() {
        Inbox<C> inbox = builder(this::write).payloadLimit(100).build();
        deadLettered(inbox, odd().payload(new byte[101]).build(), DeadReason.TOO_LARGE);
    }

    @Test
    void payloadOfExactlyTheLimitIsHandled() {
        Inbox<C> inbox = builder(this::write).payloadLimit(100).build();
        assertThat(inbox.process(message("x".repeat(100))).kind()).isEqualTo(Kind.PROCESSED);
    }

    @Test
    void typeMayHaveALimitOfItsOwn() {
        Inbox<C> inbox = builder()
                .handle(
                        TYPE,
                        PayloadDecoder.text(),
                        this::write,
                        HandlerOptions.standard().payloadLimit(10))
                .build();

        assertThat(kinds(inbox.process(List.of(message("x".repeat(10)), message("x".repeat(11))))))
                .containsExactly(Kind.PROCESSED, Kind.DEAD);
    }

    @Test
    void messageWithoutIdGoesToTheDeadLetters() {
        Message message =
                odd().id((MessageId) null).origin(origin()).payload("x").build();
        assertThat(deadLettered(writing(), message, DeadReason.NO_ID).claimed()).isFalse();
    }

    @Test
    void messageWithoutIdThatIsDeliveredTwiceIsKeptOnce() {
        Message message =
                odd().id((MessageId) null).origin(origin()).payload("x").build();
        Inbox<C> inbox = writing();
        inbox.process(message);

        assertThat(inbox.process(message).settled()).isTrue();
        assertThat(fixture.deadLetters(consumer)).hasSize(1);
    }

    @Test
    void messagesWithoutIdAndOriginAreAllKept() {
        Inbox<C> inbox = writing();
        Message first = odd().id((MessageId) null).payload("first").build();
        Message second = odd().id((MessageId) null).payload("second").build();
        inbox.process(List.of(first, second));

        assertThat(fixture.deadLetters(consumer))
                .extracting(StoredMessage::payload)
                .containsExactlyInAnyOrder(StoredMessage.hex(first), StoredMessage.hex(second));
    }

    @Test
    void batchOfNothingButUnusableMessagesIsSettled() {
        List<Outcome> outcomes = writing()
                .process(List.of(
                        odd().id((MessageId) null).payload("a").build(),
                        odd().id((MessageId) null).payload("b").build()));

        assertThat(kinds(outcomes)).containsExactly(Kind.DEAD, Kind.DEAD);
    }

    @Test
    void tooLongIdGoesToTheDeadLetters() {
        Message message =
                odd().id("x".repeat(5_000)).origin(origin()).payload("x").build();
        assertThat(deadLettered(writing(), message, DeadReason.ID_TOO_LONG).claimed())
                .isFalse();
    }

    @Test
    void undecodableMessageThatComesAgainIsSettledAndKeptOnce() {
        Inbox<C> inbox = writing();
        Message message = odd().payload(NOT_UTF_8).build();
        inbox.process(List.of(message, message));

        assertThat(inbox.process(message).settled()).isTrue();
        assertThat(fixture.deadLetters(consumer)).hasSize(1);
    }

    @Test
    void lateMessageIsKeptAmongTheDeadLettersAndDoesNotRun() {
        Inbox<C> inbox = writing();
        Instant later = Ids.now().plus(Duration.ofHours(1));
        Message late = message(Ids.timeOrdered(later.minusMillis(1)), "late");
        Message inTime = message(Ids.timeOrdered(later), "in time");
        fixture.ledgerBounds(later);

        List<Outcome> outcomes = inbox.process(List.of(late, inTime));

        assertThat(kinds(outcomes)).containsExactly(Kind.DEAD, Kind.PROCESSED);
        assertThat(outcomes.get(0).settled()).isTrue();
        assertThat(fixture.effects()).containsExactly("in time");
        assertThat(fixture.deadLetters(consumer)).hasSize(1).first().satisfies(letter -> {
            assertThat(letter.reason()).isEqualTo(DeadReason.LATE);
            assertThat(letter.claimed()).isFalse();
            assertThat(letter.payload()).isEqualTo(StoredMessage.hex(late));
        });
    }

    @Test
    void lateMessageThatIsStillParkedIsADuplicate() {
        Inbox<C> inbox = inbox((payload, context) -> {
            throw new IllegalStateException("not today");
        });
        Message message = message(Ids.timeOrdered(Ids.now().plusSeconds(1)), "x");
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PARKED);
        fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1)));

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.deadLetters(consumer)).isEmpty();
    }

    @Test
    void messageFromTheFutureIsKeptAmongTheDeadLetters() {
        Message future = odd().id(Ids.timeOrdered(fixture.beyondTheLedger()))
                .payload("x")
                .build();
        StoredMessage letter = deadLettered(writing(), future, DeadReason.FROM_THE_FUTURE);
        assertThat(letter.claimed()).isFalse();
    }

    @Test
    void idsMadeBeforeTheConsumerWasRegisteredAreNeverLate() {
        Inbox<C> inbox = writing();
        Message old = message(Ids.timeOrdered(Ids.now().minus(Duration.ofDays(3_000))), "old");

        assertThat(inbox.process(old).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(inbox.process(old).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("old");
    }

    private static String origin() {
        return "notes-0@" + UUID.randomUUID();
    }
}
