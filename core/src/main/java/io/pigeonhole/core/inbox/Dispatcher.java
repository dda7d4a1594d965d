package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Dispatches the messages of one transaction: each to its handler, or to a decision where no handler is to see it. */
final class Dispatcher<C extends HandlerContext> {
    private final Routing<C> routing;
    private final Plan plan;
    private final RunningBatches.Running batch;
    private final MessageChecks<C> checks;
    private final Decisions<C> decisions;
    private final Tasks<C> tasks;

    Dispatcher(
            RegisteredConsumer consumer,
            Routing<C> routing,
            EngineSettings settings,
            Plan plan,
            RunningBatches.Running batch) {
        this.batch = batch;
        this.routing = routing;
        this.plan = plan;
        this.checks = new MessageChecks<>(routing, settings);
        this.decisions = new Decisions<>(consumer, routing, settings, plan);
        this.tasks = new Tasks<>(plan.isolated());
    }

    Plan plan() {
        return plan;
    }

    Decisions<C> decisions() {
        return decisions;
    }

    Tasks<C> tasks() {
        return tasks;
    }

    /** Whether a message before this one took too long: what is behind it comes later, so that what is known is committed. */
    private boolean behindTimeout;

    private long decodingNanos;

    private int tooLong;

    /** A message that is new: it is stored for the workers where that is wanted or has to be, or goes to its handler. */
    void accept(Envelope envelope, Reception reception) {
        Message message = envelope.message();
        boolean byLease = needsLease(envelope);
        boolean later = !isKnownToFail(envelope) && (behindTimeout || (plan.isolated() && batch.hasTimedOut()));
        boolean toStore = reception == Reception.STORE || byLease || later || decisions.isBlocked(envelope);
        // What no handler is for is decided about at once; in work it would wait for a program that has one.
        if (toStore && routing.routeOf(message) != null) {
            decisions.received(envelope, byLease);
        } else {
            handle(envelope);
        }
    }

    /** A message in work that is due: it stays behind another, is left for a lease, or goes to its handler. */
    void resume(Envelope envelope, WorkItem item) {
        if ((behindTimeout && !isKnownToFail(envelope)) || decisions.isBlocked(envelope)) {
            envelope.propose(null);
        } else if (needsLease(envelope)) {
            decisions.toBeLeased(envelope, item);
        } else {
            handle(envelope);
        }
    }

    private boolean isKnownToFail(Envelope envelope) {
        return !plan.failing().isEmpty() && plan.failing().containsKey(envelope);
    }

    private boolean needsLease(Envelope envelope) {
        return checks.needsLease(envelope.message()) || batch.isSuspect(envelope.key());
    }

    /** A message whose handler was to run, but one before it that it must not overtake has failed meanwhile. */
    void stayBehind(Envelope envelope) {
        if (envelope.item() == null) {
            decisions.received(envelope, needsLease(envelope));
        } else {
            envelope.propose(null);
        }
    }

    /** The message goes to its handler, unless it is known to fail or nothing can be done with it. */
    void handle(Envelope envelope) {
        if (isCondemned(envelope)) {
            return;
        }
        Message message = envelope.message();
        Route<?, C> route = routing.routeOf(message);
        WorkItem item = envelope.item();
        if (route == null && item != null) {
            decisions.ofUnknownType(envelope, item);
            return;
        }
        Unusable unusable = checks.unusableAccepted(message, route);
        if (unusable != null) {
            decisions.dead(envelope, unusable, true);
        } else if (route == null) {
            decisions.processed(envelope);
        } else {
            decode(envelope, route);
        }
    }

    /** How long decoders have taken, all together. */
    Duration decoding() {
        return Duration.ofNanos(decodingNanos);
    }

    /** Whether others have lost the transaction around it before, so that it goes under a lease. */
    boolean isSuspect(Envelope envelope) {
        return batch.isSuspect(envelope.key());
    }

    private void decode(Envelope envelope, Route<?, C> route) {
        long started = System.nanoTime();
        try {
            batch.call(List.of(envelope), () -> {
                tasks.add(route, envelope);
                return envelope;
            });
            if (batch.wasLate()) {
                batch.noteTimeout();
                throw batch.tookTooLong(null);
            }
        } catch (HandlerTimeoutException e) {
            Interrupts.requireNotEnding(1, e);
            throw new DecoderTimeoutException(envelope, e);
        } catch (Throwable e) {
            notDecoded(envelope, e);
        } finally {
            Interrupts.clear();
            decodingNanos += System.nanoTime() - started;
        }
    }

    /** The handler has run outside; what it wants to write goes into this transaction. */
    void complete(Envelope envelope, Completion<C> completion) {
        if (!isCondemned(envelope)) {
            tasks.add(envelope, completion);
        }
    }

    /** The decoder threw this. */
    void notDecoded(Envelope envelope, Throwable failure) {
        Interrupts.requireNotEnding(1, failure);
        if (isCondemned(envelope)) {
            return;
        }
        if (Failure.isUndecodable(failure)) {
            String detail = FailureText.classOf(failure) + ": " + FailureText.messageWithCause(failure);
            decisions.dead(envelope, new Unusable(DeadReason.UNDECODABLE, detail), true);
        } else {
            decisions.failed(envelope, Failure.ofDecoder(failure));
        }
    }

    /** One that was away for too long costs its batch a transaction; behind a second one, the others come later. */
    private boolean isLastOfSeveralTooLong(Failure failure) {
        if (!failure.tooLong()) {
            return false;
        }
        tooLong++;
        long known = plan.failing().values().stream().filter(Failure::tooLong).count();
        return known > 1 && tooLong == known;
    }

    private boolean isCondemned(Envelope envelope) {
        if (plan.failing().isEmpty()) {
            return false;
        }
        @Nullable Failure failure = plan.failing().get(envelope);
        if (failure != null) {
            behindTimeout |= failure.cause() instanceof HandlerTimeoutException || isLastOfSeveralTooLong(failure);
            decisions.failed(envelope, failure);
        }
        return failure != null;
    }
}
