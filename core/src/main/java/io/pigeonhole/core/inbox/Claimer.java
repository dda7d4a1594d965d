package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Claims the keys of one transaction. Each key that was not claimed is held against the ledger's bounds that its own claim used:
 * asked later, bounds that have moved would make a plain duplicate look late.
 */
final class Claimer {
    static final Duration SHORT_TIMEOUT = Duration.ofMillis(20);

    private final InboxTransaction<?> transaction;
    private final RegisteredConsumer consumer;
    private final Map<MessageKey, PayloadHash> hashes;
    private Set<MessageKey> claimed = Set.of();
    private final Set<MessageKey> busy = new HashSet<>();
    private final Map<MessageKey, Claim> outside = new HashMap<>();
    private boolean deadLetters;

    Claimer(
            InboxTransaction<?> transaction,
            RegisteredConsumer consumer,
            Map<MessageKey, PayloadHash> hashes,
            Set<MessageKey> busyHere) {
        this.busy.addAll(busyHere);
        this.transaction = transaction;
        this.consumer = consumer;
        this.hashes = hashes;
    }

    /**
     * Claims all keys in one statement.
     *
     * @throws ClaimBlockedException if a transaction elsewhere holds one of them
     */
    void together(List<MessageKey> sorted, Duration timeout) {
        List<PayloadHash> ofSorted = new ArrayList<>(hashes.isEmpty() ? 0 : sorted.size());
        if (!hashes.isEmpty()) {
            sorted.forEach(key -> ofSorted.add(Objects.requireNonNull(hashes.get(key))));
        }
        note(sorted, transaction.claim(consumer, sorted, ofSorted, timeout));
    }

    /**
     * Claims in halves, after a claim of all together was blocked: only the keys that a transaction elsewhere really holds
     * stay behind, as busy. The wait for it has been made; a half waits only long enough to see that it is still there.
     */
    void inHalves(List<MessageKey> sorted) {
        transaction.savepoint();
        try {
            together(sorted, SHORT_TIMEOUT);
        } catch (ClaimBlockedException e) {
            transaction.rollbackToSavepoint();
            if (sorted.size() == 1) {
                busy.add(sorted.get(0));
                return;
            }
            int middle = sorted.size() / 2;
            inHalves(sorted.subList(0, middle));
            inHalves(sorted.subList(middle, sorted.size()));
        }
    }

    private void note(List<MessageKey> keys, Claim claim) {
        deadLetters |= claim.hasDeadLetters();
        claimed = claimed.isEmpty() ? claim.claimed() : union(claimed, claim.claimed());
        if (claim.claimed().size() == keys.size()) {
            return;
        }
        for (MessageKey key : keys) {
            if (!claim.claimed().contains(key) && DuplicateCheck.isOutside(key, claim)) {
                outside.put(key, claim);
            }
        }
    }

    private static Set<MessageKey> union(Set<MessageKey> some, Set<MessageKey> others) {
        Set<MessageKey> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    /** Whether one of the keys that were not claimed may be that of a dead letter. */
    boolean hasDeadLetters() {
        return deadLetters;
    }

    boolean isClaimed(MessageKey key) {
        return claimed.contains(key);
    }

    boolean hasBusy() {
        return !busy.isEmpty();
    }

    boolean isBusy(MessageKey key) {
        return busy.contains(key);
    }

    /** The keys outside the ledger's days, each with the claim that says so. */
    Map<MessageKey, Claim> outside() {
        return outside;
    }
}
