package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps of a message that is parked, dead or finished.
 *
 * @param key its key
 * @param id its id, or null where it has none
 * @param headers its headers; none where they are not kept
 * @param payload the bytes of its payload in hexadecimal digits; null for a tombstone, and where it is not kept
 * @param attempts how many attempts are counted, 0 where no handler was asked
 * @param reason why it is dead, null where it is not
 * @param claimed whether the ledger has its key
 */
public record StoredMessage(
        MessageKey key,
        @Nullable MessageId id,
        Headers headers,
        @Nullable String payload,
        int attempts,
        @Nullable DeadReason reason,
        boolean claimed) {
    /**
     * What should be kept of a parked message.
     *
     * @param parked the message as it was handed to the store
     * @return the same in these terms
     */
    public static StoredMessage of(ParkedMessage parked) {
        return of(parked.key(), parked.message(), parked.attempt().number(), null, true);
    }

    /**
     * What should be kept of a dead letter.
     *
     * @param letter the letter as it was handed to the store
     * @return the same in these terms
     */
    public static StoredMessage of(DeadLetter letter) {
        FailedAttempt last = letter.attempt();
        return of(letter.key(), letter.message(), last == null ? 0 : last.number(), letter.reason(), letter.claimed());
    }

    /**
     * What should be kept of a finished message.
     *
     * @param finished the message as it was handed to the store
     * @return the same in these terms
     */
    public static StoredMessage of(FinishedMessage finished) {
        Message message = finished.message();
        if (finished.withPayload()) {
            return of(finished.key(), message, finished.attempts(), null, true);
        }
        return new StoredMessage(finished.key(), message.id(), Headers.none(), null, finished.attempts(), null, true);
    }

    private static StoredMessage of(
            MessageKey key, Message message, int attempts, @Nullable DeadReason reason, boolean claimed) {
        return new StoredMessage(key, message.id(), message.headers(), hex(message), attempts, reason, claimed);
    }

    /**
     * The payload of a message in hexadecimal digits.
     *
     * @param message the message
     * @return the digits, or null for a tombstone
     */
    public static @Nullable String hex(Message message) {
        return message.isTombstone() ? null : HexFormat.of().formatHex(message.payload());
    }
}
