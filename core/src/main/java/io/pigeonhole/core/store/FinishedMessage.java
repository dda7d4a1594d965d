package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;

/**
 * A message whose handler has run, for the history.
 *
 * @param key its key
 * @param message the message
 * @param attempts how many attempts it took, the last included
 * @param withPayload whether its headers and payload are kept too
 */
public record FinishedMessage(MessageKey key, Message message, int attempts, boolean withPayload) {}
