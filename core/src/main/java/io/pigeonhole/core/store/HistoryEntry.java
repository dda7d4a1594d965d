package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.time.Instant;

/**
 * A finished message as the history has it.
 *
 * @param place its place in the order in which finished messages were recorded; greater for later ones
 * @param key its key
 * @param message the message as the broker delivered it; without headers and payload where these were not kept
 * @param withPayload whether headers and payload were kept; a message with them but without a payload is a tombstone
 * @param attempts how many attempts it took
 * @param processedAt when it was recorded, by the store's clock
 */
public record HistoryEntry(
        long place, MessageKey key, Message message, boolean withPayload, int attempts, Instant processedAt) {}
