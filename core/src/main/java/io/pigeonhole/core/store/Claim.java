package io.pigeonhole.core.store;

import io.pigeonhole.core.message.MessageKey;
import java.util.List;
import java.util.Set;

/**
 * The answer to a claim.
 *
 * @param claimed the keys that were new and now belong to the transaction
 * @param oldest the ledger's bounds, or where all keys were claimed, or are duplicates, maybe a key above it: smaller keys in time form
 *     are too old to be recognised as new or as duplicates
 * @param newest the other end of it: keys in time form that are not smaller come from days that the ledger does not have
 *     yet. {@link MessageKey#FIRST_DIGEST} where the ledger has no such end, and maybe where all keys were claimed, or are
 *     duplicates
 * @param hasDeadLetters false where, after the claim, the consumer was seen to have no dead letters: then none needs to be
 *     counted again. True where it has some, and where nobody looked
 */
public record Claim(Set<MessageKey> claimed, MessageKey oldest, MessageKey newest, boolean hasDeadLetters) {
    /**
     * The claim of keys that were all new, where nobody asked for more.
     *
     * @param keys in ascending order, at least one
     * @return a claim whose bounds are wide enough for these keys, and which says nothing of others
     */
    public static Claim ofAll(List<MessageKey> keys) {
        return new Claim(Set.copyOf(keys), keys.get(0), MessageKey.FIRST_DIGEST, true);
    }

    /**
     * Whether a key is too old for the ledger.
     *
     * @param key a key
     * @return true for a key in time form below the ledger's bounds
     */
    public boolean isLate(MessageKey key) {
        return key.compareTo(oldest) < 0;
    }

    /**
     * Whether a key is of a day that the ledger does not have yet.
     *
     * @param key a key
     * @return true for a key in time form at or above the newest
     */
    public boolean isFromTheFuture(MessageKey key) {
        return key.isTimeForm() && key.compareTo(newest) >= 0;
    }
}
