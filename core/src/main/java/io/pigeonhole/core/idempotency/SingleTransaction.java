package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Handles a request in one transaction. Safe for use by many threads.
 *
 * @param <C> the context that the store hands out
 */
final class SingleTransaction<C extends HandlerContext> {
    /** How often a claim begins anew that two transactions have kept each other from. */
    private static final int MOST_CLAIMS = 5;

    private final IdempotencyStore<C> store;
    private final RegisteredConsumer consumer;
    private final RequestSettings settings;
    private final StoredBodies bodies;

    SingleTransaction(
            IdempotencyStore<C> store, RegisteredConsumer consumer, RequestSettings settings, StoredBodies bodies) {
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.bodies = bodies;
    }

    RequestOutcome handle(IdempotentRequest request, RequestHandler<C> handler) throws Exception {
        return claiming(store, settings, transaction -> handle(transaction, request, handler));
    }

    /** What is done behind a claim. */
    @FunctionalInterface
    interface Claiming<C extends HandlerContext> {
        /** Null where the claim was refused because two transactions were in each other's way. */
        @Nullable
        RequestOutcome in(IdempotencyTransaction<C> transaction) throws Exception;
    }

    /** Begins transactions until one of them can say who has the key. */
    static <C extends HandlerContext> RequestOutcome claiming(
            IdempotencyStore<C> store, RequestSettings settings, Claiming<C> claiming) throws Exception {
        for (int i = 0; i < MOST_CLAIMS; i++) {
            try (IdempotencyTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
                RequestOutcome outcome = claiming.in(transaction);
                if (outcome != null) {
                    return outcome;
                }
            }
        }
        return new RequestOutcome.InProgress(settings.retryAfter());
    }

    private @Nullable RequestOutcome handle(
            IdempotencyTransaction<C> transaction, IdempotentRequest request, RequestHandler<C> handler)
            throws Exception {
        Optional<KnownRequest> known;
        try {
            known = transaction.claim(consumer, request, settings.retention(), null);
        } catch (ClaimBlockedException e) {
            return new RequestOutcome.InProgress(settings.retryAfter());
        } catch (StoreException e) {
            if (e.errorClass() == ErrorClass.RETRY_NOW) {
                return null;
            }
            throw e;
        }
        return known.isPresent() ? known(request, known.get()) : handleNew(transaction, request, handler);
    }

    private RequestOutcome known(IdempotentRequest request, KnownRequest known) {
        RequestOutcome outcome = bodies.known(request, known, settings);
        if (outcome instanceof RequestOutcome.InProgress && known.isInSteps() && !known.leased()) {
            throw new IllegalStateException(
                    "this request was begun in steps and is not finished; it cannot be handled in one transaction."
                            + " Handle its operation with handleInSteps (inSteps of the filter) or completeAbandoned until all such requests are"
                            + " finished, or call admin().forget for the key");
        }
        return outcome;
    }

    private RequestOutcome handleNew(
            IdempotencyTransaction<C> transaction, IdempotentRequest request, RequestHandler<C> handler)
            throws Exception {
        MessageKey key = request.identity().storageKey();
        if (settings.storesFailures()) {
            transaction.savepoint();
        }
        Reply reply = handler.handle(transaction.context(consumer, key, request.message()));
        switch (reply.retention()) {
            case ROLL_BACK -> {
                return new RequestOutcome.NotStored(reply.response());
            }
            case COMMIT -> transaction.endHandler();
            case COMMIT_RESPONSE_ONLY -> {
                if (!settings.storesFailures()) {
                    throw new IllegalStateException("a handler asked for its response to be stored without its effects,"
                            + " for which storesFailures(true) has to be set");
                }
                transaction.undoHandler();
            }
        }
        bodies.finish(transaction, consumer, key, reply.response(), Duration.ZERO);
        transaction.commit();
        return new RequestOutcome.Executed(reply.response());
    }
}
