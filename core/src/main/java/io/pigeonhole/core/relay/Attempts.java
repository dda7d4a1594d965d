package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryDecision;
import io.pigeonhole.core.retry.RetryJudge;
import io.pigeonhole.core.store.FailedAttempt;
import java.time.Duration;

/** Makes of a refusal what is remembered of it, and what it leads to. */
final class Attempts {
    private Attempts() {}

    static FailedAttempt failed(int number, RelaySettings settings, Throwable cause) {
        return new FailedAttempt(
                number,
                settings.node(),
                Duration.ZERO,
                FailureText.classOf(cause),
                FailureText.messageWithCause(cause),
                FailureText.stackOf(cause));
    }

    static RetryDecision decide(RelaySettings settings, Message message, int attempts, Duration age, Throwable cause) {
        if (cause instanceof UnreadableMessageException) {
            return new RetryDecision.GiveUp(DeadReason.UNDECODABLE);
        }
        return RetryJudge.decide(
                settings.retry(),
                new RetryJudge.Attempt(message, attempts, age, cause, cause instanceof PermanentFailure));
    }
}
