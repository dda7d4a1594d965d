package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Map;

/**
 * Handles requests with idempotency keys: the first one is handled, and its key, what its handler writes and the response are committed
 * in one transaction. The same request is answered with that response from then on. A duplicate that
 * comes before the commit is refused at once as in progress, or waits for it without a connection. Safe for use by many threads; needs not be closed.
 *
 * <p>A process that dies before the commit leaves nothing: the next request with the key is handled. One that dies behind it has left the
 * response.
 *
 * @param <C> the context that the store hands out
 */
public final class IdempotentRequests<C extends HandlerContext> {
    /** How long somebody may still come back for a request in steps whose retention is over. */
    private static final Duration UNFINISHED = Duration.ofDays(90);

    private final IdempotencyStore<C> store;
    private final RegisteredConsumer consumer;
    private final RequestSettings settings;
    private final SingleTransaction<C> singleTransaction;
    private final StepTransactions<C> stepTransactions;
    private final Running running = new Running();
    private final Tally tally;

    IdempotentRequests(
            IdempotencyStore<C> store,
            RegisteredConsumer consumer,
            RequestSettings settings,
            StoredBodies bodies,
            Tally tally) {
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.singleTransaction = new SingleTransaction<>(store, consumer, settings, bodies);
        this.stepTransactions = new StepTransactions<>(store, consumer, settings, bodies);
        this.tally = tally;
    }

    /**
     * Begins one.
     *
     * @param store where requests are kept
     * @param name under which they are kept, the same at every node: requests of two names know nothing of each other. At most 200
     *     characters; no inbox of this store may have it
     * @param <C> the context that the store hands out
     * @return a builder with the standard settings
     */
    public static <C extends HandlerContext> IdempotentRequestsBuilder<C> builder(
            IdempotencyStore<C> store, String name) {
        return new IdempotentRequestsBuilder<>(store, name);
    }

    /**
     * Handles a request in one transaction, unless it was handled before.
     *
     * @param request the request
     * @param handler what to do where it is new; called at most once
     * @return what became of it
     * @throws Exception what the handler threw, or an exception of the store: then nothing is committed, but for {@link
     *     io.pigeonhole.core.failure.OutcomeUnknownException}, where it may be. The next request with the key will find out
     */
    public RequestOutcome handle(IdempotentRequest request, RequestHandler<C> handler) throws Exception {
        return tally.count(
                request.identity().operation(),
                () -> waiting(request, false, () -> singleTransaction.handle(request, handler)));
    }

    /**
     * Handles a request that has effects in other systems, in steps of a transaction each, unless it was handled before. Where it was begun
     * by a request that has failed, or by a process that has died, it goes on behind the last step that is committed.
     *
     * @param request the request; its message is stored, so that {@link #completeAbandoned} can go on with it
     * @param handler what to do
     * @return what became of it; {@link RequestOutcome.InProgress} too where this process has lost the lease meanwhile
     * @throws Exception what the handler threw, or an exception of the store: then the key stays at the last step that is committed
     */
    public RequestOutcome handleInSteps(IdempotentRequest request, StepHandler<C> handler) throws Exception {
        return tally.count(
                request.identity().operation(),
                () -> waiting(request, true, () -> stepTransactions.handle(request, handler)));
    }

    /** Tries until the request is not in progress elsewhere any more, as long as it is to wait. */
    private RequestOutcome waiting(IdempotentRequest request, boolean inSteps, Tally.Handling attempt)
            throws Exception {
        MessageKey key = request.identity().storageKey();
        long begun = System.nanoTime();
        while (true) {
            RequestOutcome outcome = new RequestOutcome.InProgress(settings.retryAfter());
            boolean first = running.begin(key);
            if (first || inSteps) {
                try {
                    outcome = attempt.run();
                } finally {
                    if (first) {
                        running.end(key);
                    }
                }
            }
            long left = settings.duplicateTimeout().toNanos() - (System.nanoTime() - begun);
            boolean again =
                    outcome instanceof RequestOutcome.InProgress && left > 0 && running.await(key, left, inSteps);
            if (!again) {
                return outcome;
            }
        }
    }

    /**
     * Goes on with requests that were begun in steps and that nobody has come back for: their processes have died, or their clients have
     * given up. One whose handler has answered with a status of 4xx that is not stored is left to its client. To be called every minute or so, by any number of nodes.
     *
     * @param handlers what to do, by operation; others are left
     * @param limit how many at most
     * @return how many were finished; what fails is logged, and comes again after a pause of a minute
     */
    public int completeAbandoned(Map<String, StepHandler<C>> handlers, int limit) {
        return stepTransactions.completeAbandoned(handlers, limit);
    }

    /**
     * Deletes requests whose retention is over. One in steps that is not finished is deleted, and logged, when its retention and its lease
     * have been over for 90 days. To be called every minute or so, by any number of nodes.
     *
     * @param limit how many at most, from 1 to 10,000
     * @return how many were deleted; call again while it is {@code limit}
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database is away; call again later
     */
    public int purge(int limit) {
        if (limit < 1 || limit > 10_000) {
            throw new IllegalArgumentException("limit " + limit + " is not from 1 to 10,000");
        }
        return store.purge(consumer, UNFINISHED, limit);
    }

    /**
     * What people may look at and decide about stored requests.
     *
     * @return an admin; it needs not be closed
     */
    public IdempotencyAdmin admin() {
        return new IdempotencyAdmin(store, consumer);
    }

    /**
     * What became of the requests of this process.
     *
     * @return counts since it was made
     */
    public IdempotencyCounts counts() {
        return tally.counts(running.count());
    }

    /**
     * Whether the same request may succeed if it is sent again with its key: the database was away, or others were in the way.
     *
     * @param failure what {@link #handle} threw; its causes are looked at too, as frameworks wrap what handlers throw
     * @return true if so; then answer that the client should try again
     */
    public boolean isTemporary(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof RetryableException) {
                return true;
            }
            if (cause instanceof PermanentFailure) {
                return false;
            }
        }
        ErrorClass errorClass = failure instanceof StoreException e ? e.errorClass() : store.classify(failure);
        return switch (errorClass) {
            case RETRY_NOW, UNAVAILABLE -> true;
            case MESSAGE, PERMANENT, ABORTED, UNKNOWN -> false;
        };
    }

    /**
     * The name under which requests are kept.
     *
     * @return as {@link #builder} was given
     */
    public String name() {
        return consumer.name();
    }

    /**
     * How long keys are remembered, to be published to clients.
     *
     * @return the retention
     */
    public Duration retention() {
        return settings.retention();
    }

    /**
     * Whether handlers may answer with {@link Reply.Retention#COMMIT_RESPONSE_ONLY}.
     *
     * @return as the builder was given
     */
    public boolean storesFailures() {
        return settings.storesFailures();
    }
}
