package io.pigeonhole.core.retry;

import io.pigeonhole.core.failure.DeadReason;
import java.time.Duration;

/** What a failed attempt leads to. */
public sealed interface RetryDecision {
    /** The message counts as finished all the same. */
    record Ignore() implements RetryDecision {}

    /**
     * The message is tried again.
     *
     * @param delay after which time
     */
    record Retry(Duration delay) implements RetryDecision {}

    /**
     * The message becomes a dead letter.
     *
     * @param reason why
     */
    record GiveUp(DeadReason reason) implements RetryDecision {}
}
