package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the contracts, in {@code integration-tests}, do not ask: what only this store has. */
class InMemoryStoreTest {
    private final InMemoryStore store = InMemoryStore.create();
    private final List<String> effects = new ArrayList<>();

    private Inbox<InMemoryContext> inbox() {
        return Inbox.builder("payments", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    context.defer(() -> effects.add(payload));
                    if (payload.equals("bad")) {
                        throw new IllegalStateException("as it says");
                    }
                })
                .history(HistoryMode.WITHOUT_PAYLOAD)
                .build();
    }

    private static Message message(String payload) {
        return Message.builder("notes")
                .id("id of " + payload)
                .type("note")
                .payload(payload)
                .build();
    }

    @Test
    void storeTellsWhatBecameOfItsMessages() {
        Inbox<InMemoryContext> inbox = inbox();
        inbox.process(List.of(
                message("good"), message("bad"), Message.builder("notes").build()));

        assertThat(effects).containsExactly("good");
        assertThat(store.processed("payments")).hasSize(1);
        assertThat(store.parked("payments"))
                .extracting(parked -> parked.message().payload())
                .containsExactly(message("bad").payload());
        assertThat(store.deadLetters("payments")).hasSize(1);
        assertThat(store.history("payments"))
                .extracting(FinishedMessage::key)
                .containsExactlyElementsOf(store.processed("payments"));
    }

    @Test
    void unknownConsumerHasNothing() {
        assertThat(store.processed("nobody")).isEmpty();
        assertThat(store.parked("nobody")).isEmpty();
        assertThat(store.work("nobody")).isEmpty();
        assertThat(store.seenAgain("nobody", MessageKey.FIRST_DIGEST)).isZero();
        assertThat(store.deadLetters("nobody")).isEmpty();
        assertThat(store.history("nobody")).isEmpty();
    }

    @Test
    void storeThatIsAwayRefusesEverythingAndForgetsNothing() {
        Inbox<InMemoryContext> inbox = inbox();
        inbox.process(message("first"));
        store.available(false);

        assertThatThrownBy(() -> inbox.process(message("second"))).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(inbox.forSources()::probe).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(this::inbox).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(store::transaction).isInstanceOf(StoreUnavailableException.class);

        store.available(true);
        assertThat(inbox.process(message("first")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(inbox.process(message("second")).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(effects).containsExactly("first", "second");
    }

    @Test
    void storeThatGoesAwayInTheMiddleCommitsNothing() {
        Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    context.defer(() -> effects.add(payload));
                    store.available(false);
                })
                .build();

        assertThatThrownBy(() -> inbox.process(message("x"))).isInstanceOf(StoreUnavailableException.class);
        assertThat(effects).isEmpty();
        assertThat(store.processed("payments")).isEmpty();
    }

    @Test
    void effectThatFailsMakesItsMessageFail() {
        Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
                .handle(
                        "note",
                        PayloadDecoder.text(),
                        (payload, context) -> context.defer(() -> {
                            if (payload.equals("bad")) {
                                throw new IllegalStateException("as it says");
                            }
                            effects.add(payload);
                        }))
                .build();

        assertThat(inbox.process(message("bad")).kind()).isEqualTo(Kind.PARKED);
        assertThat(inbox.process(message("good")).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(effects).containsExactly("good");
    }

    @Test
    void effectsMayLookIntoTheStore() {
        Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
                .handle(
                        "note",
                        PayloadDecoder.text(),
                        (payload, context) -> context.defer(() -> effects.add(
                                payload + " " + store.processed("payments").size())))
                .build();
        inbox.process(message("x"));

        assertThat(effects).containsExactly("x 0");
    }

    @Test
    void applicationsTransactionClaimsAndHasEffects() {
        Inbox<InMemoryContext> inbox = inbox();
        try (InMemoryTransaction own = store.transaction()) {
            assertThat(inbox.claim(message("mine"), store.ledger(own))).isTrue();
            own.defer(() -> effects.add("mine"));
            own.commit();
        }
        try (InMemoryTransaction rolledBack = store.transaction()) {
            assertThat(inbox.claim(message("other"), store.ledger(rolledBack))).isTrue();
            rolledBack.defer(() -> effects.add("other"));
        }

        assertThat(effects).containsExactly("mine");
        assertThat(inbox.process(message("mine")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(inbox.process(message("other")).kind()).isEqualTo(Kind.PROCESSED);
    }

    @Test
    void clockSaysFromWhenOnIdsAreTimes() {
        Instant noon = Instant.parse("2026-11-21T12:00:00Z");
        InMemoryStore atNoon = InMemoryStore.create(Clock.fixed(noon, ZoneOffset.UTC));

        assertThat(atNoon.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED))
                        .keys()
                        .digestBelow())
                .isEqualTo(noon.toEpochMilli());
    }

    @Test
    void whatIsNotClaimedCannotBeParkedOrFinished() {
        RegisteredConsumer consumer = store.register(new ConsumerRegistration("payments", IdForm.OPAQUE));
        Message message = message("x");
        MessageKey key = consumer.keys().keyOf("notes", MessageId.of("x"));
        try (InboxTransaction<InMemoryContext> transaction = store.begin(Duration.ofMinutes(1))) {
            var attempt = new FailedAttempt(1, "node", Duration.ZERO, "class", "text", "stack");
            assertThatThrownBy(() -> transaction.park(
                            consumer, List.of(new ParkedMessage(key, message, Duration.ZERO, attempt))))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> transaction.record(consumer, List.of(new FinishedMessage(key, message, 1, true))))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void endedTransactionRefusesEverything() {
        InMemoryTransaction own = store.transaction();
        try (own) {
            own.commit();
            assertThatThrownBy(own::commit).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> own.defer(() -> {})).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void failedEffectRollsBackTheApplicationsTransaction() {
        try (InMemoryTransaction own = store.transaction()) {
            own.defer(() -> {
                throw new IllegalStateException("no");
            });
            assertThatThrownBy(own::commit).isInstanceOf(StoreException.class).hasMessageContaining("no");
        }
    }
}
