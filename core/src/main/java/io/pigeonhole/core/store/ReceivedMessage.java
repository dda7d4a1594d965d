package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;

/**
 * A message that is accepted and that no handler has seen yet. It is due at once.
 *
 * @param key its key
 * @param message the message with its bytes
 * @param byLease whether it may only be worked on under a lease, its attempt counted first
 */
public record ReceivedMessage(MessageKey key, Message message, boolean byLease) {}
