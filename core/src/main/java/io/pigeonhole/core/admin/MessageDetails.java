package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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

    /**
     * What a store has found of a message, with the status that follows from it.
     *
     * @param consumer whose message
     * @param key its key
     * @param message the message, or null
     * @param withPayload whether the message has the headers and the payload that it came with
     * @param work where it is in work, or null
     * @param deadLetter where it is among the dead letters, or null
     * @param acceptedAt when its key was claimed, or null
     * @param processedAt when its handler had run, as far as the history knows, or null
     * @param attempts the attempts that failed, the first one first
     * @param audit what people did about it, the first first
     * @return the details, or nothing where there is no such message
     */
    public static Optional<MessageDetails> of(
            String consumer,
            MessageKey key,
            @Nullable Message message,
            boolean withPayload,
            @Nullable WorkEntry work,
            @Nullable DeadLetterEntry deadLetter,
            @Nullable Instant acceptedAt,
            @Nullable Instant processedAt,
            List<AttemptEntry> attempts,
            List<AuditEntry> audit) {
        MessageStatus status = work != null
                ? work.status()
                : deadLetter != null ? MessageStatus.DEAD : finished(acceptedAt, processedAt, audit);
        return Optional.ofNullable(status)
                .map(known -> new MessageDetails(
                        consumer,
                        key,
                        known,
                        message,
                        withPayload,
                        work,
                        deadLetter,
                        acceptedAt,
                        processedAt,
                        attempts,
                        audit));
    }

    /** A message that was never claimed may come again after it was discarded; then it is accepted later than that. */
    private static @Nullable MessageStatus finished(
            @Nullable Instant acceptedAt, @Nullable Instant processedAt, List<AuditEntry> audit) {
        Instant latest = processedAt != null ? processedAt : acceptedAt;
        boolean discarded = audit.stream()
                .anyMatch(entry ->
                        entry.action() == AdminAction.DISCARD && (latest == null || !latest.isAfter(entry.at())));
        if (discarded) {
            return MessageStatus.DISCARDED;
        }
        return latest == null ? null : MessageStatus.PROCESSED;
    }
}
