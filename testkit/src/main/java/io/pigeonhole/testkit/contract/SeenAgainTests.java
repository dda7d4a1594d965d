package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.OnRedeliveredDeadLetter;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Messages that come again: with another payload, or after they were given up on. */
abstract class SeenAgainTests<C extends HandlerContext> extends FlowLab<C> {
    SeenAgainTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void otherPayloadIsAConflictAndKeptWithItsBytes() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = Ids.opaque();
        inbox.process(message(id, "one"));

        assertThat(inbox.process(message(id, "one")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(inbox.process(message(id, "two")).kind()).isEqualTo(Kind.DEAD);
        assertThat(inbox.process(message(id, "two")).kind()).isEqualTo(Kind.DEAD);
        assertThat(dead()).containsExactly("two CONFLICT");
        assertThat(fixture.effects()).containsExactly("one");
        assertThat(fixture.seenAgain(
                        consumer, fixture.deadLetters(consumer).get(0).key()))
                .isEqualTo(1);
    }

    @Test
    void tombstoneAndAnEmptyPayloadAreConflictsOfTheirOwn() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = Ids.opaque();
        inbox.process(message(id, "one"));

        Message tombstone = Message.builder("notes")
                .id(id)
                .type(TYPE)
                .payload((byte[]) null)
                .build();
        assertThat(kinds(inbox.process(List.of(tombstone, message(id, ""))))).containsExactly(Kind.DEAD, Kind.DEAD);
        assertThat(fixture.deadLetters(consumer)).hasSize(2);
    }

    @Test
    void conflictAndDuplicateInOneBatchAreToldApart() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = Ids.opaque();
        List<Message> messages = List.of(message(id, "one"), message(id, "two"), message(id, "one"));

        assertThat(kinds(inbox.process(messages))).containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("one");
    }

    @Test
    void otherPayloadIsADuplicateWhereNobodyAsks() {
        Inbox<C> inbox = flow().build();
        String id = Ids.opaque();

        assertThat(kinds(inbox.process(List.of(message(id, "one"), message(id, "two")))))
                .containsExactly(Kind.PROCESSED, Kind.DUPLICATE);
        assertThat(inbox.process(message(id, "three")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(dead()).isEmpty();
    }

    @Test
    void deadLetterThatComesAgainStaysDeadAndIsCounted() {
        Inbox<C> inbox = flow().retry(RETRY.maxAttempts(1)).build();
        fail("x", 1);
        Message message = message("x");
        inbox.process(message);

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.seenAgain(consumer, keyOf(inbox, message))).isEqualTo(1);
        assertThat(workLater(inbox)).isZero();
        assertThat(dead()).containsExactly("x " + DeadReason.RETRIES_EXHAUSTED);
    }

    @Test
    void deadLetterThatComesAgainGoesBackToWorkAndItsWorkersAreTold() {
        Inbox<C> inbox = flow().retry(RETRY.maxAttempts(2))
                .onRedeliveredDeadLetter(OnRedeliveredDeadLetter.REQUEUE)
                .build();
        fail("x", 3);
        Message message = message("x");
        inbox.process(message);
        workLater(inbox);
        assertThat(dead()).hasSize(1);
        Set<Backlog.Due> told = new HashSet<>();
        inbox.forNodes().whenWorkIsStored(told::addAll);

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        int workPartition = inbox.registered().workPartitionOf(message, keyOf(inbox, message));
        assertThat(told)
                .contains(new Backlog.Due(inbox.registered(), Backlog.Kind.ORDINARY, workPartition, Duration.ZERO));
        assertThat(inbox.work()).isEqualTo(1);
        assertThat(parked()).containsExactly("x");
        workLater(inbox);
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(runs).containsExactly("x 1", "x 2", "x 3", "x 4");
        assertThat(dead()).isEmpty();
    }

    @Test
    void otherPayloadOfALateMessageIsAConflict() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = late();

        assertThat(inbox.process(message(id, "one")).kind()).isEqualTo(Kind.DEAD);
        assertConflictsBeside(inbox, id, "one LATE");
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void otherPayloadOfAMessageFromTheFutureIsAConflict() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = Ids.timeOrdered(fixture.beyondTheLedger());

        assertThat(inbox.process(message(id, "one")).kind()).isEqualTo(Kind.DEAD);
        assertConflictsBeside(inbox, id, "one FROM_THE_FUTURE");
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void otherPayloadsOfMessagesOutsideTheLedgerAreKeptFromOneBatch() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String late = late();
        String future = Ids.timeOrdered(fixture.beyondTheLedger());
        List<Message> messages = List.of(
                message(late, "one"),
                message(future, "three"),
                message(late, "two"),
                message(late, "one"),
                message(future, "four"));

        assertThat(kinds(inbox.process(messages)))
                .containsExactly(Kind.DEAD, Kind.DEAD, Kind.DEAD, Kind.DUPLICATE, Kind.DEAD);
        assertThat(dead())
                .containsExactlyInAnyOrder("one LATE", "two CONFLICT", "three FROM_THE_FUTURE", "four CONFLICT");
    }

    /** The message is in work still, the day of the ledger by which it was accepted is gone. */
    @Test
    void otherPayloadOfAMessageInWorkOfADroppedDayIsAConflict() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = Ids.timeOrdered(Ids.now().plusSeconds(1));
        fail("one", 1);
        inbox.process(message(id, "one"));
        fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1)));

        assertConflictsBeside(inbox, id);
        assertThat(workLater(inbox)).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("one");
    }

    @Test
    void tombstoneOfALateMessageIsAConflict() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = late();
        Message tombstone = Message.builder("notes")
                .id(id)
                .type(TYPE)
                .payload((byte[]) null)
                .build();
        inbox.process(message(id, ""));

        assertThat(kinds(inbox.process(List.of(tombstone, message(id, "")))))
                .containsExactly(Kind.DEAD, Kind.DUPLICATE);
        assertThat(inbox.process(tombstone).kind()).isEqualTo(Kind.DEAD);
        assertThat(fixture.deadLetters(consumer))
                .extracting(StoredMessage::payload)
                .containsExactlyInAnyOrder("", null);
    }

    @Test
    void otherPayloadDoesNotBringBackTheLateMessage() {
        Inbox<C> inbox = flow().detectConflicts()
                .onRedeliveredDeadLetter(OnRedeliveredDeadLetter.REQUEUE)
                .build();
        String id = late();
        inbox.process(message(id, "one"));

        assertThat(inbox.process(message(id, "two")).kind()).isEqualTo(Kind.DEAD);
        assertThat(dead()).containsExactlyInAnyOrder("one LATE", "two CONFLICT");
        assertThat(workLater(inbox)).isZero();
    }

    @Test
    void otherPayloadOfALateMessageIsADuplicateWhereNobodyAsks() {
        Inbox<C> inbox = flow().build();
        String id = late();
        inbox.process(message(id, "one"));

        assertThat(inbox.process(message(id, "two")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(dead()).containsExactly("one LATE");
    }

    /** An id that is older than the ledger from now on. */
    private String late() {
        Instant oldest = Ids.now().plus(Duration.ofHours(1));
        fixture.ledgerBounds(oldest);
        return Ids.timeOrdered(oldest.minusMillis(1));
    }

    /** How often the dead letter with this payload came again. */
    private int seenAgain(Message message) {
        MessageKey key = fixture.deadLetters(consumer).stream()
                .filter(letter -> Objects.equals(letter.payload(), StoredMessage.hex(message)))
                .findAny()
                .orElseThrow()
                .key();
        return fixture.seenAgain(consumer, key);
    }

    /** A first payload is known, and each other one is kept once. */
    private void assertConflictsBeside(Inbox<C> inbox, String id, String... before) {
        assertThat(inbox.process(message(id, "one")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(inbox.process(message(id, "two")).kind()).isEqualTo(Kind.DEAD);
        assertThat(inbox.process(message(id, "two")).kind()).isEqualTo(Kind.DEAD);
        assertThat(inbox.process(message(id, "three")).kind()).isEqualTo(Kind.DEAD);
        assertThat(inbox.process(message(id, "one")).kind()).isEqualTo(Kind.DUPLICATE);
        List<String> letters = new ArrayList<>(List.of(before));
        letters.addAll(List.of("two CONFLICT", "three CONFLICT"));
        assertThat(dead()).containsExactlyInAnyOrderElementsOf(letters);
        assertThat(seenAgain(message(id, "two"))).isEqualTo(1);
        assertThat(seenAgain(message(id, "three"))).isZero();
    }
}
