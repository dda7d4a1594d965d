package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.InboxTransaction;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A message that comes again with another payload is told from a duplicate, where hashes are kept. */
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
}
