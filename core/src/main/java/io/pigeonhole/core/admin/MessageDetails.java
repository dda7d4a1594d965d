package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known of a message. All instants are of the database's clock.
 *
 * @param consumer whose message
 * @param key its key
 * @param status where it is
 * @param message the message; null where only its key is known, because it is finished and no history was kept
 * @param withPayload whether the message has the headers and the payload that it came with; the history may leave them out
 * @param work where it is in work; null where it is not
 * @param deadLetter where it is among the dead letters; null where it is not
 * @param acceptedAt when its key was claimed; null where the ledger does not have it
 * @param processedAt when its handler had run; null where it has not or where no history was kept
 * @param attempts the attempts that failed, the first one first, at most {@value #MOST_ATTEMPTS}, the latest
 * @param audit what people did about it, the first first, at most {@value #MOST_CHANGES}, the latest
 */
public record MessageDetails(
        String consumer,
        MessageKey key,
        MessageStatus status,
        @Nullable Message message,
        boolean withPayload,
        @Nullable WorkEntry work,
        @Nullable DeadLetterEntry deadLetter,
        @Nullable Instant acceptedAt,
        @Nullable Instant processedAt,
        List<AttemptEntry> attempts,
        List<AuditEntry> audit) {
    /** The most attempts that are shown. */
    public static final int MOST_ATTEMPTS = 100;

    /** The most changes that are shown. */
    public static final int MOST_CHANGES = 100;

    /** Takes copies of the lists. */
    public MessageDetails {
        attempts = List.copyOf(attempts);
        audit = List.copyOf(audit);
    }
}
