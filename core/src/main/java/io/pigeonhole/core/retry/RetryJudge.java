package io.pigeonhole.core.retry;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.LeaseExpiredException;
import io.pigeonhole.core.failure.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what a failed attempt leads to, by a retry policy. A policy that fails by itself must not make its message a poison: then the
 * standard is taken for what failed.
 */
public final class RetryJudge {
    private static final Logger log = LoggerFactory.getLogger(RetryJudge.class);
    /** Further away than this no database need be able to say when it is. */
    private static final Duration LONGEST_DELAY = Duration.ofDays(3_650);

    private RetryJudge() {}

    /**
     * An attempt that failed.
     *
     * @param message what failed, for the log
     * @param attempts how many attempts have failed that the policy counts, this one included
     * @param age how long ago the message was received, or given a new beginning
     * @param failure what it failed with
     * @param isPermanent whether no retry is known to help
     */
    public record Attempt(Object message, int attempts, Duration age, Throwable failure, boolean isPermanent) {}

    /**
     * What becomes of a message.
     *
     * @param policy of its type
     * @param attempt the attempt that failed
     * @return the decision
     */
    public static RetryDecision decide(RetryPolicy policy, Attempt attempt) {
        return switch (reaction(policy, attempt)) {
            case IGNORE -> new RetryDecision.Ignore();
            case GIVE_UP -> new RetryDecision.GiveUp(DeadReason.PERMANENT_FAILURE);
            case RETRY ->
                delay(policy, attempt)
                        .<RetryDecision>map(RetryDecision.Retry::new)
                        .orElseGet(() -> new RetryDecision.GiveUp(DeadReason.RETRIES_EXHAUSTED));
        };
    }

    /** A lease that ran out says nothing about the message, whatever exceptions its policy knows. */
    private static Reaction reaction(RetryPolicy policy, Attempt attempt) {
        Reaction usual = attempt.isPermanent() ? Reaction.GIVE_UP : Reaction.RETRY;
        if (attempt.failure() instanceof LeaseExpiredException) {
            return usual;
        }
        try {
            return named(policy, attempt.failure()).orElse(usual);
        } catch (Throwable e) {
            failed("a predicate", "as if it matched nothing", attempt, e);
            return usual;
        }
    }

    /**
     * What a deferred write or the COMMIT failed with is what the handler would have thrown, had it met it at once. A policy
     * that names the store's exceptions means all of these, unless a predicate decides.
     */
    private static Optional<Reaction> named(RetryPolicy policy, Throwable failure) {
        Throwable cause = thrown(failure);
        if (cause == failure) {
            return policy.reactionTo(failure);
        }
        return policy.reactionByPredicate(cause)
                .or(() -> policy.reactionByPredicate(failure))
                .or(() -> policy.names(StoreException.class, failure) ? Optional.empty() : policy.reactionTo(cause))
                .or(() -> policy.reactionTo(failure));
    }

    /** What a handler would have thrown. */
    private static Throwable thrown(Throwable failure) {
        Throwable cause = failure instanceof StoreException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    private static void failed(String what, String instead, Attempt attempt, Throwable e) {
        log.error(
                "{} of the retry policy of {} threw by itself; {}",
                what,
                attempt.message(),
                instead,
                FailureText.readable(e));
    }

    private static Optional<Duration> delay(RetryPolicy policy, Attempt attempt) {
        Throwable thrown = thrown(attempt.failure());
        try {
            return policy.delayAfter(attempt.attempts(), attempt.age(), thrown, ThreadLocalRandom.current())
                    .map(delay -> delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay);
        } catch (Throwable e) {
            failed("a function for delays", "the standard delays are used", attempt, e);
            return RetryPolicy.standard()
                    .maxAttempts(policy.maxAttempts())
                    .maxAge(policy.maxAge())
                    .delayAfter(attempt.attempts(), attempt.age(), thrown, ThreadLocalRandom.current());
        }
    }
}
