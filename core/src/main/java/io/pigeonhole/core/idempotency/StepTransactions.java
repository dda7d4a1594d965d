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

    /** How long a request is left alone by those who look for abandoned ones, since it failed or its lease ran out. */
    private static final Duration PAUSE = Duration.ofMinutes(1);

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

    /** The request is this process's, which goes on behind the steps that are committed. Its message is as {@link StepRun} takes it. */
    private record Leased(Message message, StepRun.Hold hold) implements Claimed {}

    /** It is somebody else's, or finished. */
    private record Ended(RequestOutcome outcome) implements Claimed {}

    RequestOutcome handle(IdempotentRequest request, StepHandler<C> handler) throws Exception {
        Claimed claimed = null;
        for (int i = 0; i < MOST_CLAIMS && claimed == null; i++) {
            claimed = claim(request);
        }
        if (claimed instanceof Leased leased) {
            return run(request.identity().storageKey(), leased, handler);
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
            IdempotencyTransaction.Lease lease = settings.lease(LeaseToken.first());
            Optional<KnownRequest> known =
                    transaction.claim(consumer, bodies.protect(request), settings.retention(), lease);
            if (known.isEmpty()) {
                transaction.commit();
                return new Leased(request.message(), new StepRun.Hold(lease.token(), true, Headers.none()));
            }
            RequestOutcome outcome = bodies.known(request, known.get(), settings);
            return outcome instanceof RequestOutcome.InProgress && !known.get().leased()
                    ? takeOver(transaction, key, known.get().leaseToken())
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

    private Claimed takeOver(IdempotencyTransaction<C> transaction, MessageKey key, long token) {
        IdempotencyTransaction.Lease lease = settings.lease(token + 1);
        Optional<LeasedRequest> taken = transaction.takeOver(consumer, key, token, lease);
        if (taken.isEmpty()) {
            return new Ended(inProgress());
        }
        transaction.commit();
        LeasedRequest request = taken.get();
        return new Leased(request.message(), new StepRun.Hold(lease.token(), false, request.steps()));
    }

    private IdempotencyTransaction<C> begin() {
        return store.begin(settings.handlerTimeout());
    }

    private RequestOutcome run(MessageKey key, Leased leased, StepHandler<C> handler) throws Exception {
        Message message = leased.message();
        StepRun<C> steps =
                new StepRun<>(this::begin, consumer, key, message, settings.leaseDuration(), bodies, leased.hold());
        Reply reply;
        try {
            steps.readRequest();
            reply = handler.handle(steps);
        } catch (Throwable e) {
            steps.end();
            letGoOfFailed(steps);
            if (e instanceof Exception && steps.hasLostLease()) {
                LOG.warn("the lease of a request is lost: {}", message.type(), e);
                return inProgress();
            }
            throw e;
        }
        steps.end();
        try {
            return answer(steps, key, reply);
        } catch (LeaseLostException e) {
            LOG.warn("{}: {}", message.type(), e.getMessage());
            return inProgress();
        }
    }

    /** The response of the handler; only under the lease, without which somebody else may have answered otherwise. */
    private RequestOutcome answer(StepRun<C> steps, MessageKey key, Reply reply) throws Exception {
        if (steps.hasLostLease()) {
            return inProgress();
        }
        RuntimeException failedCommit = steps.failedCommit();
        if (failedCommit != null) {
            letGoOfFailed(steps);
            throw failedCommit;
        }
        StoredResponse response = reply.response();
        if (reply.retention() == Reply.Retention.ROLL_BACK) {
            letGo(steps, isRefused(response) ? null : Duration.ZERO);
            return new RequestOutcome.NotStored(response);
        }
        steps.inHeldTransaction("the response", transaction -> {
            bodies.finish(transaction, consumer, key, response, settings.retention());
            return true;
        });
        return new RequestOutcome.Executed(response);
    }

    /** The client was answered that it is not done: nobody else may do it for him, unless he asks again. */
    private static boolean isRefused(StoredResponse response) {
        return response.status() >= 400 && response.status() < 500;
    }

    /** So that the next request need not wait for the end of the lease; one without a step is forgotten. */
    private void letGo(StepRun<C> steps, @Nullable Duration pause) throws Exception {
        steps.inHeldTransaction("the end of the lease", transaction -> {
            steps.letGo(transaction, pause);
            return true;
        });
    }

    /** Whoever has not known that he has lost his lease knows it then. Throws nothing, as something has failed before. */
    private void letGoOfFailed(StepRun<C> steps) {
        if (steps.hasLostLease()) {
            return;
        }
        try {
            letGo(steps, Duration.ZERO);
        } catch (Exception e) {
            LOG.debug("a lease could not be let go of, and ends by itself", e);
        }
    }

    int completeAbandoned(Map<String, StepHandler<C>> handlers, int limit) {
        int finished = 0;
        if (handlers.isEmpty()) {
            return finished;
        }
        for (AbandonedRequest request : store.abandoned(consumer, handlers.keySet(), PAUSE, limit)) {
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
                claimed = takeOver(transaction, request.storageKey(), request.leaseToken());
            }
            return claimed instanceof Leased leased
                    && run(request.storageKey(), leased, handler) instanceof RequestOutcome.Executed;
        } catch (Exception e) {
            LOG.warn("an abandoned request of {} cannot be finished yet", request.operation(), e);
            return false;
        }
    }
}
