package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadReason;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One delivery on its way through the engine. What a transaction proposes for it becomes its outcome at the commit. */
final class Envelope {
    /** The longest id in bytes; enough for 1,000 characters of any script. */
    static final int LONGEST_ID = 4096;

    private final Message message;
    private final MessageKey key;
    private final @Nullable Unusable unusable;
    private @Nullable Outcome proposed;
    private @Nullable Outcome outcome;

    /** Why a message cannot even be claimed. */
    record Unusable(DeadReason reason, String detail) {}

    private Envelope(Message message, MessageKey key, @Nullable Unusable unusable) {
        this.message = message;
        this.key = key;
        this.unusable = unusable;
    }

    static Envelope of(Message message, KeyScheme keys) {
        MessageId id = message.id();
        if (id == null) {
            String detail = "the message has no id, so that a duplicate of it could not be told";
            return new Envelope(message, keyOfDelivery(message), new Unusable(DeadReason.NO_ID, detail));
        }
        if (id.length() > LONGEST_ID) {
            String detail = "the message's id has " + id.length() + " bytes, the limit is " + LONGEST_ID;
            return new Envelope(message, keyOfDelivery(message), new Unusable(DeadReason.ID_TOO_LONG, detail));
        }
        return new Envelope(message, keys.keyOf(message.source(), id), null);
    }

    private static MessageKey keyOfDelivery(Message message) {
        String origin = message.origin();
        String place = origin != null ? origin : UUID.randomUUID().toString();
        return KeyScheme.keyOfOrigin(message.source(), place, message.payload());
    }

    Message message() {
        return message;
    }

    MessageKey key() {
        return key;
    }

    @Nullable
    Unusable unusable() {
        return unusable;
    }

    void propose(Outcome outcomeAfterCommit) {
        this.proposed = outcomeAfterCommit;
    }

    /** The transaction that proposed an outcome is committed. */
    Outcome settle() {
        if (proposed == null) {
            throw new IllegalStateException(message + " was in a committed transaction that decided nothing about it");
        }
        outcome = proposed;
        return proposed;
    }

    Outcome outcome() {
        if (outcome == null) {
            throw new IllegalStateException(message + " has no outcome yet");
        }
        return outcome;
    }
}
