package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.Message;

/**
 * A request with an idempotency key.
 *
 * @param identity what it is recognised by
 * @param fingerprint a digest of what it asks for
 * @param message the request as its handler sees it in {@link io.pigeonhole.core.handler.HandlerContext#message}; where the work is
 *     done in steps, also what somebody else can finish it with
 */
public record IdempotentRequest(RequestIdentity identity, Fingerprint fingerprint, Message message) {}
