package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;

/**
 * A message that failed and waits for another attempt.
 *
 * @param key its key
 * @param message the message with its bytes
 * @param dueIn how long from now, by the database's clock, until it is due
 * @param attempt the attempt that failed
 */
public record ParkedMessage(MessageKey key, Message message, Duration dueIn, FailedAttempt attempt) {}
