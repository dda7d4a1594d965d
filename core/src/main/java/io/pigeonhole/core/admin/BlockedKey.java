package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An ordering key whose messages wait.
 *
 * @param orderingKey the key
 * @param head the message that they wait for
 * @param status what it is: received or parked and not due yet, leased, or dead
 * @param dueAt when the head is due; null where it is dead
 * @param error what the head failed with; null where it has not failed
 * @param waiting how many messages in work are behind it
 */
public record BlockedKey(
        OrderingKey orderingKey,
        MessageKey head,
        MessageStatus status,
        @Nullable Instant dueAt,
        @Nullable String error,
        long waiting) {}
