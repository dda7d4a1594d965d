package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.InboxTransaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A message that comes again with another payload is not a duplicate: its hash is compared with that in the ledger, or with
 * the payload of the message in work or among the dead letters where the ledger has none.
 */
abstract class ConflictTests<C extends HandlerContext> extends WorkLab<C> {
    ConflictTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private static PayloadHash hash(String payload) {
        return PayloadHash.of(Message.builder("notes").payload(payload).build());
    }

    private Set<MessageKey> conflicting(Map<MessageKey, PayloadHash> hashes) {
        return commit(transaction -> transaction.conflicting(consumer, hashes));
    }

    private void claimWith(String payload, MessageKey... keys) {
        run(transaction -> transaction.claim(
                consumer,
                List.of(keys),
                List.of(keys).stream().map(key -> hash(payload)).toList(),
                LONG));
    }

    @Test
    void hashIsKeptWithTheClaim() {
        List<MessageKey> keys = keys(2);
        claimWith("first", keys.get(0), keys.get(1));

        assertThat(conflicting(Map.of(keys.get(0), hash("first"), keys.get(1), hash("first"))))
                .isEmpty();
        assertThat(conflicting(Map.of(keys.get(0), hash("first"), keys.get(1), hash("second"))))
                .containsExactly(keys.get(1));
    }

    @Test
    void everyKeyHasItsOwnHash() {
        List<MessageKey> keys = keys(2);
        run(transaction -> transaction.claim(consumer, keys, List.of(hash("first"), hash("second")), LONG));

        assertThat(conflicting(Map.of(keys.get(0), hash("first"), keys.get(1), hash("second"))))
                .isEmpty();
        assertThat(conflicting(Map.of(keys.get(0), hash("second"), keys.get(1), hash("first"))))
                .containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    void keyThatWasClaimedWithoutAHashConflictsWithNothing() {
        MessageKey key = key(0);
        claimed(key);

        assertThat(conflicting(Map.of(key, hash("first")))).isEmpty();
    }

    @Test
    void unknownKeyConflictsWithNothing() {
        assertThat(conflicting(Map.of(key(0), hash("first")))).isEmpty();
    }

    @Test
    void duplicateChangesNothingAboutTheHash() {
        MessageKey key = key(1);
        claimWith("first", key);
        claimWith("second", key);

        assertThat(conflicting(Map.of(key, hash("first")))).isEmpty();
        assertThat(conflicting(Map.of(key, hash("second")))).containsExactly(key);
    }

    @Test
    void hashOfAClaimThatWasRolledBackIsGone() {
        MessageKey key = key(0);
        try (InboxTransaction<C> transaction = begin()) {
            transaction.claim(consumer, List.of(key), List.of(hash("first")), LONG);
            assertThat(transaction.conflicting(consumer, Map.of(key, hash("second"))))
                    .containsExactly(key);
        }
        claimWith("second", key);

        assertThat(conflicting(Map.of(key, hash("second")))).isEmpty();
    }

    @Test
    void consumersHaveHashesOfTheirOwn() {
        MessageKey key = key(0);
        claimWith("first", key);
        consumer = register();

        assertThat(conflicting(Map.of(key, hash("second")))).isEmpty();
    }

    private static PayloadHash hash(byte @Nullable [] payload) {
        return PayloadHash.of(Message.builder("notes").payload(payload).build());
    }

    private static Message with(String id, byte @Nullable [] payload) {
        return Message.builder("notes").id(id).type("note").payload(payload).build();
    }

    private static byte[] everyByte() {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private void deadLetter(DeadReason reason, boolean claimed, Message... messages) {
        run(transaction -> transaction.deadLetter(
                consumer,
                List.of(messages).stream()
                        .map(message -> dead(message, reason, claimed))
                        .toList()));
    }

    /** Asks about each message's key with its own payload, and with others. */
    private void assertCompared(Message... messages) {
        for (Message message : messages) {
            MessageKey key = keyOf(message);
            assertThat(conflicting(Map.of(key, PayloadHash.of(message)))).isEmpty();
            assertThat(conflicting(Map.of(key, hash("another")))).containsExactly(key);
        }
    }

    @Test
    void payloadInWorkIsComparedWhereTheLedgerHasNoHash() {
        Message first = message(0);
        Message second = message(1);
        receive(first);
        park(second, LATER);

        assertCompared(first, second);
        receiveByLease(message(2));
        leased();
        assertCompared(first, second);
    }

    @Test
    void payloadOfADeadLetterIsComparedWhereTheLedgerDoesNotHaveItsKey() {
        Message late = message(0);
        Message future = message(1);
        deadLetter(DeadReason.LATE, false, late);
        deadLetter(DeadReason.FROM_THE_FUTURE, false, future);

        assertCompared(late, future);
    }

    @Test
    void everyByteOfAPayloadCounts() {
        byte[] all = everyByte();
        Message message = with(Ids.opaque(), all);
        deadLetter(DeadReason.LATE, false, message);

        assertCompared(message);
        byte[] other = all.clone();
        other[255]++;
        assertThat(conflicting(Map.of(keyOf(message), hash(other)))).containsExactly(keyOf(message));
    }

    @Test
    void tombstoneIsNoEmptyPayload() {
        byte[] nothing = new byte[0];
        Message tombstone = with(Ids.opaque(), null);
        Message empty = with(Ids.opaque(), nothing);
        Message tombstoneInWork = with(Ids.opaque(), null);
        Message emptyInWork = with(Ids.opaque(), nothing);
        deadLetter(DeadReason.LATE, false, tombstone, empty);
        receive(tombstoneInWork, emptyInWork);

        assertCompared(tombstone, empty, tombstoneInWork, emptyInWork);
        assertThat(conflicting(Map.of(
                        keyOf(tombstone),
                        hash(nothing),
                        keyOf(empty),
                        hash((byte[]) null),
                        keyOf(tombstoneInWork),
                        hash(nothing),
                        keyOf(emptyInWork),
                        hash((byte[]) null))))
                .containsExactlyInAnyOrder(keyOf(tombstone), keyOf(empty), keyOf(tombstoneInWork), keyOf(emptyInWork));
    }

    @Test
    void deadLetterWithoutItsBytesConflictsWithNothing() {
        Message bare = with(Ids.opaque(), null);
        deadLetter(DeadReason.BYTES_NOT_STORED, false, bare);

        assertThat(conflicting(Map.of(keyOf(bare), hash("another")))).isEmpty();
    }

    /** An unclaimed letter, such as one from the future, may be there when a message with its id is accepted. */
    @Test
    void hashInTheLedgerDecidesBeforeAPayload() {
        Message letter = with(Ids.opaque(), everyByte());
        deadLetter(DeadReason.FROM_THE_FUTURE, false, letter);
        claimWith("accepted", keyOf(letter));

        assertThat(conflicting(Map.of(keyOf(letter), hash("accepted")))).isEmpty();
        assertThat(conflicting(Map.of(keyOf(letter), hash("third")))).containsExactly(keyOf(letter));
    }

    @Test
    void payloadThatTheTransactionItselfHasStoredIsCompared() {
        Message message = message(0);
        try (InboxTransaction<C> transaction = begin()) {
            transaction.deadLetter(consumer, List.of(dead(message, DeadReason.LATE, false)));
            assertThat(transaction.conflicting(consumer, Map.of(keyOf(message), hash("another"))))
                    .containsExactly(keyOf(message));
        }

        assertThat(conflicting(Map.of(keyOf(message), hash("another")))).isEmpty();
    }

    @Test
    void consumersHavePayloadsOfTheirOwn() {
        Message letter = message(0);
        Message work = message(1);
        deadLetter(DeadReason.LATE, false, letter);
        receive(work);
        consumer = register();

        assertThat(conflicting(Map.of(keyOf(letter), hash("another"), keyOf(work), hash("another"))))
                .isEmpty();
    }

    @Test
    void manyKeysAreComparedAtOnce() {
        Map<MessageKey, PayloadHash> hashes = new HashMap<>();
        Set<MessageKey> others = new HashSet<>();
        List<Message> letters = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            Message message = message(i);
            MessageKey key = keyOf(message);
            boolean other = i % 3 == 0;
            hashes.put(key, other ? hash("another") : PayloadHash.of(message));
            if (other) {
                others.add(key);
            }
            if (i % 4 == 0) {
                run(transaction -> transaction.claim(consumer, List.of(key), List.of(PayloadHash.of(message)), LONG));
            } else if (i % 4 == 1) {
                receive(message);
            } else {
                letters.add(message);
            }
        }
        deadLetter(DeadReason.LATE, false, letters.toArray(Message[]::new));

        assertThat(conflicting(hashes)).containsExactlyInAnyOrderElementsOf(others);
    }
}
