package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.MessageKey;

/**
 * A request that was begun in steps, and whose lease has run out. What it asks for, and how far it is, is read when it is taken over.
 *
 * @param storageKey what the store keeps it under, see {@link RequestIdentity#storageKey}
 * @param operation what is done
 * @param leaseToken the fencing token of the newest lease
 */
public record AbandonedRequest(MessageKey storageKey, String operation, long leaseToken) {}
