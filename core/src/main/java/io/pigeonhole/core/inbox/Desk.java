package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.DeadReason;
import io.pigeonhole.core.store.RegisteredConsumer;
import org.jspecify.annotations.Nullable;

/** Sorts the messages of one transaction into verdicts and tasks. */
final class Desk<C extends HandlerContext> {
    private final Plan plan;
    private final Verdicts<C> verdicts;
    private final Tasks<C> tasks;

    Desk(RegisteredConsumer consumer, Routing<C> routing, EngineSettings settings, Plan plan) {
        this.plan = plan;
        this.verdicts = new Verdicts<>(consumer, routing, settings, plan);
        this.tasks = new Tasks<>(plan.isolated());
    }

    Plan plan() {
        return plan;
    }

    Verdicts<C> verdicts() {
        return verdicts;
    }

    Tasks<C> tasks() {
        return tasks;
    }

    /** The message goes to its handler, unless it is known to fail or nothing can be done with it. */
    void handle(Envelope envelope) {
        if (isCondemned(envelope)) {
            return;
        }
        Route<?, C> route = verdicts.route(envelope);
        if (route == null) {
            return;
        }
        try {
            tasks.add(route, envelope);
        } catch (Throwable e) {
            notDecoded(envelope, e);
        } finally {
            Interrupts.clear();
        }
    }

    /** The handler has run outside; what it wants to write goes into this transaction. */
    void complete(Envelope envelope, Completion<C> completion) {
        if (!isCondemned(envelope)) {
            tasks.add(envelope, completion);
        }
    }

    /** All attempts have failed before this one, and whoever noted the last of them left it to others to decide. */
    void spent(Envelope envelope) {
        verdicts.spent(envelope);
    }

    /** The decoder threw this. */
    void notDecoded(Envelope envelope, Throwable failure) {
        Interrupts.requireNotEnding(1, failure);
        if (isCondemned(envelope)) {
            return;
        }
        if (Failure.isUndecodable(failure)) {
            String detail = FailureText.classOf(failure) + ": " + FailureText.messageOf(failure);
            verdicts.dead(envelope, DeadReason.UNDECODABLE, detail, true);
        } else {
            verdicts.failed(envelope, Failure.ofDecoder(failure));
        }
    }

    private boolean isCondemned(Envelope envelope) {
        if (plan.condemned().isEmpty()) {
            return false;
        }
        @Nullable Failure failure = plan.condemned().get(envelope);
        if (failure != null) {
            verdicts.failed(envelope, failure);
        }
        return failure != null;
    }
}
