package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import org.jspecify.annotations.Nullable;

/**
 * What a list shows of a message. Its headers and its payload, which may be private, are not part of it.
 *
 * @param key its key
 * @param source where it came from
 * @param id the producer's id, or null where it came without one
 * @param type its type, or null where none was found
 * @param orderingKey the key within which messages keep their order, or null where it has none
 * @param origin what the broker calls its place, or null where that is not known
 * @param payloadBytes how many bytes its payload has; -1 for a tombstone
 */
public record MessageLabel(
        MessageKey key,
        String source,
        @Nullable MessageId id,
        @Nullable String type,
        @Nullable OrderingKey orderingKey,
        @Nullable String origin,
        int payloadBytes) {
    /** The {@link #payloadBytes} of a message without a payload. */
    public static final int TOMBSTONE = -1;
}
