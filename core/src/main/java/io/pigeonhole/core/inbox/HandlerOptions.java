package io.pigeonhole.core.inbox;

import io.pigeonhole.core.retry.RetryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What one message type wants otherwise than the rest of the inbox. Immutable.
 *
 * @param retry its retry policy, or null for the inbox's
 * @param payloadLimit the largest payload in bytes, or null for the inbox's
 */
public record HandlerOptions(
        @Nullable RetryPolicy retry, @Nullable Integer payloadLimit) {
    private static final HandlerOptions STANDARD = new HandlerOptions(null, null);

    /** Checks the limit. */
    public HandlerOptions {
        if (payloadLimit != null && payloadLimit < 0) {
            throw new IllegalArgumentException("payloadLimit " + payloadLimit + " is negative");
        }
    }

    /**
     * All as the inbox has it.
     *
     * @return the options
     */
    public static HandlerOptions standard() {
        return STANDARD;
    }

    /**
     * A copy with its own retry policy.
     *
     * @param policy the policy
     * @return the copy
     */
    public HandlerOptions retry(RetryPolicy policy) {
        return new HandlerOptions(policy, payloadLimit);
    }

    /**
     * A copy with its own limit.
     *
     * @param bytes the largest payload, in bytes
     * @return the copy
     */
    public HandlerOptions payloadLimit(int bytes) {
        return new HandlerOptions(retry, bytes);
    }
}
