package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LateFloodTest {
    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .lateLimit(2)
            .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
            .build();

    private static Message message(Instant created) {
        UUID random = UUID.randomUUID();
        long high = created.toEpochMilli() << 16 | 7L << 12 | (random.getMostSignificantBits() & 0xFFF);
        String id = new UUID(high, random.getLeastSignificantBits()).toString();
        return Message.builder("queue").id(id).type("payment").payload(id).build();
    }

    @Test
    void lateMessagesBeyondTheLimitAreHeldBackAndOthersPass() {
        Instant registered = Instant.now().plusSeconds(1);
        store.ledgerBounds(registered.plusSeconds(100), null);
        Message third = message(registered.plusSeconds(3));

        assertThat(inbox.process(List.of(message(registered.plusSeconds(1)), message(registered.plusSeconds(2)))))
                .allMatch(outcome -> outcome instanceof Outcome.Dead dead && dead.reason() == DeadReason.LATE);
        assertThat(inbox.forSources().heldBack()).isNull();
        assertThat(inbox.process(List.of(third, message(registered.plusSeconds(200)))))
                .satisfiesExactly(
                        held -> assertThat(((Outcome.Busy) held).why())
                                .contains("2 messages were late within the last hour")
                                .contains("lateLimit"),
                        inTime -> assertThat(inTime).isEqualTo(new Outcome.Processed()));
        assertThat(inbox.forSources().heldBack()).contains("2 messages were late", "lateLimit");
        assertThat(inbox.process(message(registered.plusSeconds(200)))).isEqualTo(new Outcome.Processed());

        assertThat(store.deadLetters("payments")).hasSize(2).allMatch(letter -> letter.reason() == DeadReason.LATE);
    }

    @Test
    void sourceLearnsThatMessagesAreHeldBackAndThatNoneIsAnyMore() {
        AtomicLong nanos = new AtomicLong();
        HeldBack heldBack = new HeldBack(nanos::get);
        assertThat(heldBack.why()).isNull();
        heldBack.note("offsets were reset");
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(heldBack.why()).isEqualTo("offsets were reset");
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(heldBack.why()).isNull();
    }

    @Test
    void hourLaterAsManyMayBeLateAgain() {
        AtomicLong nanos = new AtomicLong();
        LateFlood flood = new LateFlood("payments", 1, nanos::get);
        List<Envelope> late = List.of(Envelope.of(message(Instant.now()), inbox.registered()));
        MessageKey bounds = MessageKey.firstOf(Instant.now().plusSeconds(100).toEpochMilli());
        List<Envelope> inTime = List.of(
                Envelope.of(Message.builder("queue").id("without a time").build(), inbox.registered()));

        assertThat(flood.heldBack(late)).isEmpty();
        flood.note(bounds);
        List<Envelope> later = List.of(Envelope.of(message(Instant.now().plusSeconds(1)), inbox.registered()));
        assertThat(flood.heldBack(later)).containsOnlyKeys(later.get(0));
        assertThat(flood.heldBack(inTime)).isEmpty();

        nanos.addAndGet(Duration.ofMinutes(61).toNanos());
        assertThat(flood.heldBack(later)).isEmpty();
    }

    @Test
    void limitBelowOneIsRefused() {
        assertThatThrownBy(() -> Inbox.builder("others", store).lateLimit(0).build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("lateLimit 0");
    }
}
