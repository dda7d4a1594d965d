package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a request in steps of a transaction each, under a lease. Safe for use by many threads.
 *
 * @param <C> the context that the store hands out
 */
final class StepTransactions<C extends HandlerContext> {
    private static final Logger LOG = LoggerFactory.getLogger(StepTransactions.class);

    /** How often a claim begins anew that two transactions have kept each other from. */
    private static final int MOST_CLAIMS = 5;

    /** That of the first lease. */
    private static final long FIRST_TOKEN = 1;

    /** How long a request is left alone that has failed, by those who look for abandoned ones. */
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMinutes(1);

    private final IdempotencyStore<C> store;
    private final RegisteredConsumer consumer;
    private final RequestSettings settings;
    private final StoredBodies bodies;

    StepTransactions(
            IdempotencyStore<C> store, RegisteredConsumer consumer, RequestSettings settings, StoredBodies bodies) {
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.bodies = bodies;
    }

    /** What a claim has found out. */
    private sealed interface Claimed {}

    /** The request is this process's, which goes on behind these steps. */
    private record Leased(long token, Headers steps) implements Claimed {}

    /** It is somebody else's, or finished. */
    private record Ended(RequestOutcome outcome) implements Claimed {}

    RequestOutcome handle(IdempotentRequest request, StepHandler<C> handler) throws Exception {
        Claimed claimed = null;
        for (int i = 0; i < MOST_CLAIMS && claimed == null; i++) {
            claimed = claim(request);
        }
        if (claimed instanceof Leased leased) {
            return run(request.identity().storageKey(), request.message(), leased, handler);
        }
        return claimed instanceof Ended ended ? ended.outcome() : inProgress();
    }

    private RequestOutcome inProgress() {
        return new RequestOutcome.InProgress(settings.retryAfter());
    }

    /** Null where two transactions were in each other's way. */
    private @Nullable Claimed claim(IdempotentRequest request) {
        MessageKey key = request.identity().storageKey();
        try (IdempotencyTransaction<C> transaction = begin()) {
            Optional<KnownRequest> known = transaction.claim(consumer, request, settings.retention(), settings.lease());
            if (known.isEmpty()) {
                transaction.commit();
                return new Leased(FIRST_TOKEN, Headers.none());
            }
            RequestOutcome outcome = bodies.known(request, known.get(), settings);
            return outcome instanceof RequestOutcome.InProgress
                    ? takeOver(transaction, key, known.get())
                    : new Ended(outcome);
        } catch (ClaimBlockedException e) {
            return new Ended(inProgress());
        } catch (StoreException e) {
            if (e.errorClass() == ErrorClass.RETRY_NOW) {
                return null;
            }
            throw e;
        }
    }

    private Claimed takeOver(IdempotencyTransaction<C> transaction, MessageKey key, KnownRequest known) {
        if (known.leased() || !transaction.takeOver(consumer, key, known.leaseToken(), settings.lease())) {
            return new Ended(inProgress());
        }
        transaction.commit();
        return new Leased(known.leaseToken() + 1, known.steps());
    }

    private IdempotencyTransaction<C> begin() {
        return store.begin(settings.handlerTimeout());
    }

    private RequestOutcome run(MessageKey key, Message message, Leased leased, StepHandler<C> handler)
            throws Exception {
        StepRun<C> steps = new StepRun<>(
                this::begin, consumer, key, message, settings.lease().duration(), leased.token(), leased.steps());
        Reply reply;
        try {
            reply = handler.handle(steps);
        } catch (Throwable e) {
            steps.end();
            if (steps.hasLostLease()) {
                LOG.warn("the lease of a request is lost: {}", message.type(), e);
                return inProgress();
            }
            letGo(steps);
            throw e;
        }
        steps.end();
        if (steps.hasLostLease()) {
            return inProgress();
        }
        if (reply.retention() == Reply.Retention.ROLL_BACK) {
            letGo(steps);
            return new RequestOutcome.NotStored(reply.response());
        }
        try {
            steps.inHeldTransaction("the response", transaction -> {
                bodies.finish(transaction, consumer, key, reply.response());
                return true;
            });
        } catch (LeaseLostException e) {
            LOG.warn("{}: {}", message.type(), e.getMessage());
            return inProgress();
        }
        return new RequestOutcome.Executed(reply.response());
    }

    /** So that the next request need not wait for the end of the lease; one without a step is forgotten. */
    private void letGo(StepRun<C> steps) {
        try {
            steps.inHeldTransaction("the end of the lease", transaction -> {
                steps.letGo(transaction, PAUSE_AFTER_FAILURE);
                return true;
            });
        } catch (Exception e) {
            LOG.debug("a lease could not be let go of, and ends by itself", e);
        }
    }

    int completeAbandoned(Map<String, StepHandler<C>> handlers, int limit) {
        int finished = 0;
        for (AbandonedRequest request : store.abandoned(consumer, PAUSE_AFTER_FAILURE, limit)) {
            StepHandler<C> handler = handlers.get(request.operation());
            if (handler != null && complete(request, handler)) {
                finished++;
            }
        }
        return finished;
    }

    private boolean complete(AbandonedRequest request, StepHandler<C> handler) {
        try {
            Claimed claimed;
            try (IdempotencyTransaction<C> transaction = begin()) {
                claimed = takeOver(transaction, request.storageKey(), request.known());
            }
            return claimed instanceof Leased leased
                    && run(request.storageKey(), request.message(), leased, handler) instanceof RequestOutcome.Executed;
        } catch (Exception e) {
            LOG.warn("an abandoned request of {} cannot be finished yet", request.operation(), e);
            return false;
        }
    }
}
