package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What is parked, dead-lettered or recorded comes back as it was. */
abstract class KeepingTests<C extends HandlerContext> extends StoreLab<C> {
    KeepingTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void messagesAreParkedInTheOrderOfTheList() {
        List<ParkedMessage> parked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            parked.add(parked(message(i)));
        }
        park(parked);

        assertThat(fixture.parked(consumer.name()))
                .containsExactlyElementsOf(
                        parked.stream().map(StoredMessage::of).toList());
    }

    @Test
    void parkedMessageKeepsItsBytes() {
        byte[] everyByte = new byte[256];
        for (int i = 0; i < everyByte.length; i++) {
            everyByte[i] = (byte) i;
        }
        Message message = Message.builder("notes")
                .id(MessageId.of(everyByte))
                .type("note")
                .contentType("application/octet-stream")
                .orderingKey(everyByte)
                .headers(Headers.none()
                        .with("every byte", everyByte)
                        .with("none", (byte[]) null)
                        .with("empty", new byte[0])
                        .with("twice", "first")
                        .with("twice", "second"))
                .payload(everyByte)
                .build();
        park(List.of(parked(message)));

        assertThat(fixture.parked(consumer.name())).containsExactly(StoredMessage.of(parked(message)));
    }

    @Test
    void tombstoneAndEmptyPayloadStayDifferent() {
        Message tombstone = Message.builder("notes").id(Ids.opaque()).build();
        Message empty =
                Message.builder("notes").id(Ids.opaque()).payload(new byte[0]).build();
        park(List.of(parked(tombstone), parked(empty)));

        assertThat(fixture.parked(consumer.name()))
                .extracting(StoredMessage::payload)
                .containsExactly(null, "");
    }

    private void park(List<ParkedMessage> messages) {
        try (InboxTransaction<C> transaction = begin()) {
            claim(
                    transaction,
                    messages.stream().map(ParkedMessage::key).sorted().toArray(MessageKey[]::new));
            transaction.park(consumer, messages);
            transaction.commit();
        }
    }

    @Test
    void parkedAndDeadMessagesAreKnownOthersAreNot() {
        Message parked = message(0);
        Message dead = message(1);
        Message processed = message(2);
        Message unseen = message(3);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, TransactionTests.sorted(keyOf(parked), keyOf(dead), keyOf(processed)));
            transaction.park(consumer, List.of(parked(parked)));
            transaction.deadLetter(consumer, List.of(dead(dead, DeadReason.PERMANENT_FAILURE, true)));
            transaction.commit();
        }
        List<MessageKey> asked = List.of(keyOf(parked), keyOf(dead), keyOf(processed), keyOf(unseen));
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.known(consumer, asked)).containsExactlyInAnyOrder(keyOf(parked), keyOf(dead));
            assertThat(transaction.known(register(), asked)).isEmpty();
        }
    }

    @Test
    void deadLetterIsKeptWithItsReason() {
        Message claimed = message(0);
        Message unclaimed = message(1);
        DeadLetter failed = dead(claimed, DeadReason.RETRIES_EXHAUSTED, true);
        DeadLetter late = dead(unclaimed, DeadReason.LATE, false);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, keyOf(claimed));
            transaction.deadLetter(consumer, List.of(failed, late));
            transaction.commit();
        }
        assertThat(fixture.deadLetters(consumer.name()))
                .containsExactlyInAnyOrder(StoredMessage.of(failed), StoredMessage.of(late));
    }

    @Test
    void everyReasonCanBeKept() {
        List<DeadLetter> letters = new ArrayList<>();
        Set<DeadReason> reasons = EnumSet.complementOf(EnumSet.of(DeadReason.UNKNOWN));
        for (DeadReason reason : reasons) {
            letters.add(dead(message(letters.size()), reason, false));
        }
        deadLetter(letters);

        assertThat(fixture.deadLetters(consumer.name()))
                .extracting(StoredMessage::reason)
                .containsExactlyInAnyOrderElementsOf(reasons);
    }

    @Test
    void messageWithoutIdIsDeadLetteredByItsOrigin() {
        Message message =
                Message.builder("notes").origin("notes-0@17").payload("x").build();
        MessageKey key = KeyScheme.keyOfOrigin("notes", "notes-0@17", new byte[] {1});
        DeadLetter letter = new DeadLetter(key, message, DeadReason.NO_ID, "no id", false, null);
        deadLetter(List.of(letter));

        assertThat(fixture.deadLetters(consumer.name())).containsExactly(StoredMessage.of(letter));
    }

    @Test
    void messageDeadLetteredTwiceKeepsTheFirst() {
        Message message = message(0);
        DeadLetter first = dead(message, DeadReason.LATE, false);
        deadLetter(List.of(first));
        deadLetter(List.of(dead(message, DeadReason.FROM_THE_FUTURE, false)));

        assertThat(fixture.deadLetters(consumer.name())).containsExactly(StoredMessage.of(first));
    }

    @Test
    void messageDeadLetteredTwiceAtOnceIsThereOnce() throws Exception {
        Message message = message(1);
        threads.together(4, thread -> {
            deadLetter(List.of(dead(message, DeadReason.LATE, false)));
            return thread;
        });
        assertThat(fixture.deadLetters(consumer.name())).hasSize(1);
    }

    private void deadLetter(List<DeadLetter> letters) {
        try (InboxTransaction<C> transaction = begin()) {
            transaction.deadLetter(consumer, letters);
            transaction.commit();
        }
    }

    @Test
    void historyKeepsThePayloadWhereItIsAskedTo() {
        Message with = message(0);
        Message without = message(1);
        FinishedMessage kept = new FinishedMessage(keyOf(with), with, 2, true);
        FinishedMessage bare = new FinishedMessage(keyOf(without), without, 1, false);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, TransactionTests.sorted(keyOf(with), keyOf(without)));
            transaction.record(consumer, List.of(kept, bare));
            transaction.commit();
        }
        assertThat(fixture.history(consumer.name()))
                .containsExactlyInAnyOrder(StoredMessage.of(kept), StoredMessage.of(bare));
    }

    @Test
    void emptyListsAreNoTrouble() {
        try (InboxTransaction<C> transaction = begin()) {
            transaction.park(consumer, List.of());
            transaction.deadLetter(consumer, List.of());
            transaction.record(consumer, List.of());
            transaction.flush();
            transaction.commit();
        }
        assertThat(fixture.parked(consumer.name())).isEmpty();
    }
}
