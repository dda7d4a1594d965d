package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.retry.RetryDecision;
import io.pigeonhole.core.retry.RetryJudge;

/** Says what a failed attempt leads to, by the retry policy of the message's type. Decides nothing itself. */
final class FailureJudge<C extends HandlerContext> {
    private final Routing<C> routing;

    FailureJudge(Routing<C> routing) {
        this.routing = routing;
    }

    RetryDecision judge(Envelope envelope, Failure failure) {
        if (envelope.item() != null && routing.routeOf(envelope.message()) == null) {
            // Its policy is not known here either: the attempt counts, and who knows the type decides about the next.
            return new RetryDecision.Retry(UnknownWork.delay(envelope.age()));
        }
        try {
            return RetryJudge.decide(
                    routing.retryOf(envelope.message()),
                    new RetryJudge.Attempt(
                            envelope.message(),
                            envelope.attemptForPolicy(),
                            envelope.age(),
                            failure.cause(),
                            failure.isPermanent()));
        } finally {
            Interrupts.clear();
        }
    }
}
