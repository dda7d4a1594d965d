package io.pigeonhole.core.inbox;

import io.pigeonhole.core.retry.RetryPolicy;
import org.jspecify.annotations.Nullable;

/** What one message type wants otherwise than the rest of the inbox. An immutable value: each method returns a changed copy. */
public final class HandlerOptions {
    private static final HandlerOptions STANDARD = new HandlerOptions(null, null);

    private final @Nullable RetryPolicy retry;
    private final @Nullable Integer payloadLimit;

    private HandlerOptions(@Nullable RetryPolicy retry, @Nullable Integer payloadLimit) {
        this.retry = retry;
        this.payloadLimit = payloadLimit;
    }

    /** Null for the inbox's. */
    @Nullable
    RetryPolicy retry() {
        return retry;
    }

    /** In bytes; null for the inbox's. */
    @Nullable
    Integer payloadLimit() {
        return payloadLimit;
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
     * @throws IllegalArgumentException if it is negative
     */
    public HandlerOptions payloadLimit(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("payloadLimit " + bytes + " is negative");
        }
        return new HandlerOptions(retry, bytes);
    }
}
