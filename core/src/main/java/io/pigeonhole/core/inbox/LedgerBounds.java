package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import java.time.Instant;

/** Says in words how a key lies outside the ledger. */
final class LedgerBounds {
    private LedgerBounds() {}

    static String describe(MessageKey key, Claim claim) {
        String created = "the message's id says it was made at " + time(key);
        return claim.isLate(key)
                ? created + ", the ledger begins at " + time(claim.oldest())
                        + ": it can no longer be distinguished from a duplicate"
                : created + ", the ledger ends at " + time(claim.newest())
                        + ": check the clock of its producer, or create more days ahead";
    }

    private static Instant time(MessageKey key) {
        return Instant.ofEpochMilli(key.epochMillis());
    }
}
