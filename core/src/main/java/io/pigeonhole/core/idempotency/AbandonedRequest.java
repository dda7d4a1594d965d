package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;

/**
 * A request that was begun in steps, and whose lease has run out.
 *
 * @param storageKey what the store keeps it under, see {@link RequestIdentity#storageKey}
 * @param operation what is done
 * @param message the request as it came
 * @param known what is stored of it
 */
public record AbandonedRequest(MessageKey storageKey, String operation, Message message, KnownRequest known) {}
