package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.IdempotencyKey;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a request's handler over its steps. Used by one thread.
 *
 * @param <C> the context that the store hands out
 */
final class StepRun<C extends HandlerContext> implements Steps<C> {
    private final Supplier<IdempotencyTransaction<C>> transactions;
    private final RegisteredConsumer consumer;
    private final MessageKey key;
    private final Duration lease;
    private final StoredBodies bodies;
    private final Hold hold;
    private final Set<String> begun = new HashSet<>();

    /** As it came; as it is stored until {@link #readRequest}, where somebody else has begun it. */
    private Message message;

    /** Results as they are stored. */
    private Headers done;

    private @Nullable String within;
    private boolean ended;
    private boolean leaseLost;
    private @Nullable Unknown unknown;

    /**
     * The lease of a run.
     *
     * @param token of the lease
     * @param claimed whether this run has inserted the request, so that nobody else can have begun a step of it
     * @param steps the results of the steps that are committed, as they are stored
     */
    record Hold(long token, boolean claimed, Headers steps) {}

    /** A step of which nobody knows whether it is committed. */
    private record Unknown(String step, RuntimeException failure) {}

    StepRun(
            Supplier<IdempotencyTransaction<C>> transactions,
            RegisteredConsumer consumer,
            MessageKey key,
            Message message,
            Duration lease,
            StoredBodies bodies,
            Hold hold) {
        this.transactions = transactions;
        this.consumer = consumer;
        this.key = key;
        this.message = message;
        this.lease = lease;
        this.bodies = bodies;
        this.hold = hold;
        this.done = hold.steps();
    }

    /** Reads what is stored of the request, which fails where this node has not the key that protects it. */
    void readRequest() {
        if (!hold.claimed()) {
            message = bodies.unprotect(message);
        }
    }

    @Override
    public Message request() {
        return message;
    }

    @Override
    public byte[] inTransaction(String name, LocalStep<C> step) throws Exception {
        byte[] known = resultOf(name);
        if (known != null) {
            return known;
        }
        Ran ran = within(
                name,
                () -> inHeldTransaction(name, transaction -> {
                    byte[] made = required(name, step.run(transaction.context(consumer, key, message)));
                    transaction.endHandler();
                    return store(transaction, name, made);
                }));
        done = ran.done;
        return ran.result;
    }

    @Override
    public byte[] foreign(String name, ForeignStep step) throws Exception {
        byte[] known = resultOf(name);
        if (known != null) {
            return known;
        }
        // The lease counts from here on; whoever has lost it does not call.
        inHeldTransaction(name, transaction -> true);
        byte[] result = within(name, () -> required(name, step.run(foreignKey(name))));
        done = inHeldTransaction(name, transaction -> store(transaction, name, result)).done;
        return result;
    }

    /** Not that of the next request with the client's key, which asks for something else. */
    private String foreignKey(String name) {
        return IdempotencyKey.of(
                consumer.name(), key, "request " + LeaseToken.request(hold.token()) + ", step " + name);
    }

    /** A step that has run. */
    private static final class Ran {
        private final byte[] result;
        private final Headers done;

        Ran(byte[] result, Headers done) {
            this.result = result;
            this.done = done;
        }
    }

    private Ran store(IdempotencyTransaction<C> transaction, String name, byte[] result) {
        Headers more = done.with(name, bodies.protect(result));
        transaction.storeSteps(consumer, key, more);
        return new Ran(result, more);
    }

    private <T> T within(String name, Callable<T> step) throws Exception {
        within = name;
        try {
            return step.call();
        } finally {
            within = null;
        }
    }

    /** Null where the step is to run. */
    private byte @Nullable [] resultOf(String name) {
        if (ended) {
            throw new IllegalStateException("the handler of this request has returned; no step can begin any more");
        }
        if (within != null) {
            throw new IllegalStateException("the step '" + name + "' within the step '" + within
                    + "': a step is one transaction or one call; run them one behind the other");
        }
        Unknown failed = unknown;
        if (failed != null) {
            throw new IllegalStateException(
                    "nobody knows whether the step '" + failed.step() + "' is committed, so '" + name
                            + "' cannot run; let the exception go through, and the next request with the key finds out",
                    failed.failure());
        }
        if (name.isBlank() || !begun.add(name)) {
            throw new IllegalArgumentException("each step needs a name of its own, not '" + name + "' again");
        }
        byte[] stored = done.last(name);
        return stored == null ? null : bodies.unprotect(stored);
    }

    private static byte[] required(String name, byte[] result) {
        return Objects.requireNonNull(
                result, () -> "the step '" + name + "' came back with null; it needs bytes, maybe none");
    }

    /** Something to do in a transaction that has the request. */
    @FunctionalInterface
    interface Work<C extends HandlerContext, T> {
        T in(IdempotencyTransaction<C> transaction) throws Exception;
    }

    <T> T inHeldTransaction(String step, Work<C, T> work) throws Exception {
        try (IdempotencyTransaction<C> transaction = transactions.get()) {
            if (!transaction.hold(consumer, key, hold.token(), lease)) {
                throw lost(step);
            }
            T result = work.in(transaction);
            commit(step, transaction);
            return result;
        } catch (ClaimBlockedException e) {
            // Nobody but a newer lease, or a person who forgets the request, is at its row.
            throw lost(step);
        }
    }

    private void commit(String step, IdempotencyTransaction<C> transaction) {
        try {
            transaction.commit();
        } catch (StoreException e) {
            // It is rolled back for certain.
            throw e;
        } catch (RuntimeException e) {
            unknown = new Unknown(step, e);
            throw e;
        } catch (Error e) {
            unknown = new Unknown(step, new OutcomeUnknownException("the commit of the step '" + step + "' failed", e));
            throw e;
        }
    }

    /** What a commit has thrown that may have happened, also where the handler has hidden it; null where none has. */
    @Nullable
    RuntimeException failedCommit() {
        return unknown == null ? null : unknown.failure();
    }

    private LeaseLostException lost(String step) {
        leaseLost = true;
        return new LeaseLostException(step);
    }

    /** Also where the handler has hidden it. */
    boolean hasLostLease() {
        return leaseLost;
    }

    /** The handler has returned. */
    void end() {
        ended = true;
    }

    /** Where no step has ever begun, there is nothing to go on with. Where somebody else began it, his call may have had its effect. */
    void letGo(IdempotencyTransaction<C> transaction, @Nullable Duration pause) {
        if (hold.claimed() && begun.isEmpty()) {
            transaction.forget(consumer, key);
        } else {
            transaction.release(consumer, key, pause);
        }
    }
}
