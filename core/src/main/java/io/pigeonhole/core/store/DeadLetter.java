package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.util.Set;
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
 * @param item where it is in work, taken or held by the same transaction; null where it never was
 */
public record DeadLetter(
        MessageKey key,
        Message message,
        DeadReason reason,
        String detail,
        boolean claimed,
        @Nullable FailedAttempt attempt,
        @Nullable WorkItem item) {
    private static final Set<DeadReason> NEVER_BLOCK =
            Set.of(DeadReason.LATE, DeadReason.SKIPPED, DeadReason.ORDERING_KEY_TOO_LONG);

    /** Refuses the reason that stands for those that only newer versions know: what is stored must say why. */
    public DeadLetter {
        if (reason == DeadReason.UNKNOWN) {
            throw new IllegalArgumentException("the reason UNKNOWN is only read, never stored");
        }
    }

    /**
     * A message that never was in work.
     *
     * @param key its key
     * @param message the message
     * @param reason why
     * @param detail the reason in words
     * @param claimed whether the ledger has its key
     * @param attempt the last attempt, or null where no handler was asked
     */
    public DeadLetter(
            MessageKey key,
            Message message,
            DeadReason reason,
            String detail,
            boolean claimed,
            @Nullable FailedAttempt attempt) {
        this(key, message, reason, detail, claimed, attempt, null);
    }

    /**
     * Whether it blocks its ordering key for a consumer. A late message does not, because most likely it took effect before;
     * nor one that was skipped, because somebody decided so; nor one whose key is too long to have anything behind it.
     *
     * @param consumer whose message
     * @return true if those behind it must wait for somebody to decide about it
     */
    public boolean blocks(RegisteredConsumer consumer) {
        return consumer.order() == KeyOrder.BLOCK_ON_DEAD_LETTERS
                && consumer.keepsOrderOf(message)
                && !NEVER_BLOCK.contains(reason);
    }
}
