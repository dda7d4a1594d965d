package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;

/**
 * A request in steps, read by the transaction that has its new lease.
 *
 * @param message the request as it came the first time; its payload and the results of steps as they are stored
 * @param steps the results of the steps that are committed, by their names, in their order
 */
public record LeasedRequest(Message message, Headers steps) {}
