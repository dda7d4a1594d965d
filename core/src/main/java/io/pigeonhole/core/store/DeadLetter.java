package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import org.jspecify.annotations.Nullable;

/**
 * A message that is given up on.
 *
 * @param key its key; made from its origin where it has no usable id
 * @param message the message with its bytes, as they came
 * @param reason why
 * @param detail the reason in words, with numbers; no NUL, no broken characters, bounded
 * @param claimed whether the ledger has its key: if not, a requeue must go through the claim
 * @param attempt the last attempt, or null where no handler was asked
 */
public record DeadLetter(
        MessageKey key,
        Message message,
        DeadReason reason,
        String detail,
        boolean claimed,
        @Nullable FailedAttempt attempt) {}
