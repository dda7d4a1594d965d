package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Watermark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The place identifies what the broker repeats, the id what a producer repeats. */
abstract class LogHybridTests<C extends HandlerContext> extends LogLab<C> {
    LogHybridTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void deduplicateByBoth() {
        by = Deduplication.HYBRID;
    }

    @Test
    void whatAProducerSendsTwiceTakesEffectOnceInOneBatchAndLater() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        String id = Ids.opaque();
        assertThat(kinds(inbox.process(List.of(at(owner, 0, id, null), at(owner, 1), at(owner, 2, id, null)))))
                .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.DUPLICATE);
        assertThat(kinds(inbox.process(List.of(at(owner, 3, id, null), at(owner, 4)))))
                .containsExactly(Kind.DUPLICATE, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("0@0", "0@1", "0@4");
        assertThat(positionOf(inbox, FIRST)).isEqualTo(5);
    }

    @Test
    void whatAProducerSendsTwiceWithAnIdWhoseTimeLiesFarAheadTakesEffectOnceInOneBatch() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        String id = Ids.timeOrdered(fixture.beyondTheLedger().plus(Duration.ofDays(1_000)));

        List<Outcome> outcomes =
                inbox.process(List.of(at(owner, 0, id, null), at(owner, 1, id, null), at(owner, 2, "other", null)));

        assertThat(kinds(outcomes)).containsExactly(Kind.PROCESSED, Kind.DUPLICATE, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("0@0", "0@2");
        assertThat(fixture.deadLetters(consumer)).isEmpty();
    }

    @Test
    void duplicateOfAProducerInAnotherPartitionIsCaught() {
        Inbox<C> inbox = writing();
        String id = Ids.opaque();
        inbox.process(List.of(at(own(inbox, FIRST), 0, id, null)));
        assertThat(kinds(inbox.process(List.of(at(own(inbox, SECOND), 0, id, null)))))
                .containsExactly(Kind.DUPLICATE);
        assertThat(positionOf(inbox, SECOND)).isEqualTo(1);
    }

    @Test
    void messageWithoutAnIdIsToldByItsPlace() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(range(owner, 0, 3)))).containsOnly(Kind.PROCESSED);
        assertThat(kinds(inbox.process(range(owner, 0, 4))))
                .containsExactly(Kind.DUPLICATE, Kind.DUPLICATE, Kind.DUPLICATE, Kind.PROCESSED);
    }

    @Test
    void failuresInABatchWithDuplicatesOfAProducerCostOnlyThemselves() {
        Inbox<C> inbox = inbox((payload, context) -> {
            write(payload, context);
            if (payload.equals("0@1") || payload.equals("0@50")) {
                throw new IllegalStateException("never");
            }
        });
        Watermark owner = own(inbox, FIRST);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            messages.add(at(owner, i, i % 10 == 9 ? "same " + consumer : Ids.opaque(), null));
        }
        List<Kind> kinds = kinds(inbox.process(messages));
        assertThat(kinds).filteredOn(kind -> kind == Kind.DUPLICATE).hasSize(6);
        assertThat(kinds).filteredOn(kind -> kind == Kind.PARKED).hasSize(2);
        assertThat(fixture.effects()).hasSize(62).doesNotHaveDuplicates();
        assertThat(positionOf(inbox, FIRST)).isEqualTo(70);
    }

    @Test
    void otherPayloadWithTheSameIdIsAConflictAndNothingIsSkipped() {
        Inbox<C> inbox = builder(this::write).detectConflicts().build();
        Watermark owner = own(inbox, FIRST);
        String id = Ids.opaque();
        assertThat(kinds(inbox.process(
                        List.of(at(owner, 0, id, null), at(owner, 1), at(owner, 2, id, null), at(owner, 3)))))
                .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.DEAD, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("0@0", "0@1", "0@3");
        assertThat(fixture.deadLetters(consumer)).hasSize(1);
    }

    @Test
    void positionStopsBeforeAMessageThatIsBusyElsewhere() {
        Inbox<C> inbox = builder(this::write)
                .concurrentDuplicateTimeout(Duration.ofMillis(50))
                .build();
        Watermark owner = own(inbox, FIRST);
        Message busy = at(owner, 2, Ids.opaque(), null);
        List<Message> messages = List.of(
                at(owner, 0, Ids.opaque(), null), at(owner, 1), busy, at(owner, 3), at(owner, 4, Ids.opaque(), null));
        MessageId id = Objects.requireNonNull(busy.id());
        MessageKey key = inbox.registered().keys().keyOf(busy.source(), id);
        try (InboxTransaction<C> duplicate = fixture.store().begin(Duration.ofMinutes(1))) {
            duplicate.claim(inbox.registered(), List.of(key), Duration.ofSeconds(5));
            assertThat(kinds(inbox.process(messages)))
                    .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.BUSY, Kind.BUSY, Kind.BUSY);
            assertThat(fixture.effects()).containsExactly("0@0", "0@1");
        }
        assertThat(kinds(inbox.process(messages.subList(2, 5)))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).hasSize(5).doesNotHaveDuplicates();
        assertThat(positionOf(inbox, FIRST)).isEqualTo(5);
    }

    @Test
    void isolatedPartOfALaterRoundHoldsBackWhatAnEarlierRoundFoundBusy() {
        List<InboxTransaction<C>> duplicates = new ArrayList<>();
        Inbox<C> inbox = builder((payload, context) -> {
                    if (payload.equals("1@0") || payload.equals("1@1")) {
                        throw new IllegalStateException("no " + payload);
                    }
                    write(payload, context);
                })
                .detectConflicts()
                .concurrentDuplicateTimeout(Duration.ofMillis(50))
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message message, Outcome outcome) {
                        duplicates.forEach(InboxTransaction::close);
                        duplicates.clear();
                    }
                })
                .build();
        Watermark first = own(inbox, FIRST);
        Watermark second = own(inbox, SECOND);
        String id = Ids.opaque();
        Message busy = at(first, 0, id, null);
        List<Message> messages =
                List.of(busy, after(1, first, 1, id, null), at(second, 0), after(1, second, 1, null, null));
        MessageKey key = inbox.registered().keys().keyOf(busy.source(), Objects.requireNonNull(busy.id()));
        InboxTransaction<C> duplicate = fixture.store().begin(Duration.ofMinutes(1));
        duplicate.claim(inbox.registered(), List.of(key), Duration.ofSeconds(5));
        duplicates.add(duplicate);

        List<Outcome> outcomes = inbox.process(messages);
        assertThat(kinds(outcomes)).containsExactly(Kind.BUSY, Kind.BUSY, Kind.PARKED, Kind.PARKED);
        assertThat(outcomes.get(1).toString()).contains("must not overtake").doesNotContain("lost commits");
        assertThat(fixture.effects()).isEmpty();
        assertThat(positionOf(inbox, FIRST)).isZero();
    }

    @Test
    void messageBehindABusyOneIsNotSaidToBeBehindLostCommits() {
        Inbox<C> inbox = builder(this::write)
                .detectConflicts()
                .concurrentDuplicateTimeout(Duration.ofMillis(50))
                .build();
        Watermark owner = own(inbox, FIRST);
        String id = Ids.opaque();
        Message busy = at(owner, 0, id, null);
        Message behind = after(1, owner, 1, id, null);
        MessageKey key = inbox.registered().keys().keyOf(busy.source(), Objects.requireNonNull(busy.id()));
        try (InboxTransaction<C> duplicate = fixture.store().begin(Duration.ofMinutes(1))) {
            duplicate.claim(inbox.registered(), List.of(key), Duration.ofSeconds(5));
            List<Outcome> outcomes = inbox.process(List.of(busy, behind));
            assertThat(kinds(outcomes)).containsOnly(Kind.BUSY);
            assertThat(outcomes.get(1).toString()).contains("must not overtake").doesNotContain("lost commits");
        }
    }
}
