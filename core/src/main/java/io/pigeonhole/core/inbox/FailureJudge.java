package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.LeaseExpiredException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what a failed attempt leads to, by the retry policy of the message's type. Decides nothing itself. */
final class FailureJudge<C extends HandlerContext> {
    private static final Logger log = LoggerFactory.getLogger(FailureJudge.class);
    /** Further away than this no database need be able to say when it is. */
    private static final Duration LONGEST_DELAY = Duration.ofDays(3_650);

    private final Routing<C> routing;

    /** What a failed attempt leads to. */
    sealed interface Judgement {
        /** The message counts as finished all the same. */
        record Ignore() implements Judgement {}

        /** The message is tried again. */
        record Retry(Duration delay) implements Judgement {}

        /** The message becomes a dead letter. */
        record GiveUp(DeadReason reason) implements Judgement {}
    }

    FailureJudge(Routing<C> routing) {
        this.routing = routing;
    }

    Judgement judge(Envelope envelope, Failure failure) {
        if (envelope.item() != null && routing.routeOf(envelope.message()) == null) {
            // Its policy is not known here either: the attempt counts, and who knows the type decides about the next.
            return new Judgement.Retry(UnknownWork.delay(envelope.age()));
        }
        RetryPolicy policy = routing.retryOf(envelope.message());
        return switch (reaction(policy, envelope, failure)) {
            case IGNORE -> new Judgement.Ignore();
            case GIVE_UP -> new Judgement.GiveUp(DeadReason.PERMANENT_FAILURE);
            case RETRY ->
                delay(policy, envelope, failure)
                        .<Judgement>map(Judgement.Retry::new)
                        .orElseGet(() -> new Judgement.GiveUp(DeadReason.RETRIES_EXHAUSTED));
        };
    }

    /**
     * A lease that ran out says nothing about the message, whatever exceptions its policy knows. A policy that fails by itself must not
     * make its message a poison.
     */
    private static Reaction reaction(RetryPolicy policy, Envelope envelope, Failure failure) {
        Reaction usual = failure.isPermanent() ? Reaction.GIVE_UP : Reaction.RETRY;
        if (failure.cause() instanceof LeaseExpiredException) {
            return usual;
        }
        try {
            return named(policy, failure.cause()).orElse(usual);
        } catch (Throwable e) {
            failed("a predicate", "as if it matched nothing", envelope, e);
            return usual;
        } finally {
            Interrupts.clear();
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

    private static void failed(String what, String instead, Envelope envelope, Throwable e) {
        log.error(
                "{} of the retry policy of {} threw by itself; {}",
                what,
                envelope.message(),
                instead,
                FailureText.readable(e));
    }

    private static Optional<Duration> delay(RetryPolicy policy, Envelope envelope, Failure failure) {
        int attempts = envelope.attemptForPolicy();
        Throwable thrown = thrown(failure.cause());
        try {
            return policy.delayAfter(attempts, envelope.age(), thrown, ThreadLocalRandom.current())
                    .map(delay -> delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay);
        } catch (Throwable e) {
            failed("a function for delays", "the standard delays are used", envelope, e);
            return RetryPolicy.standard()
                    .maxAttempts(policy.maxAttempts())
                    .maxAge(policy.maxAge())
                    .delayAfter(attempts, envelope.age(), thrown, ThreadLocalRandom.current());
        } finally {
            Interrupts.clear();
        }
    }
}
