package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.failure.ClaimBlockedException;
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
    private final Message message;
    private final Duration lease;
    private final long token;
    private final Set<String> begun = new HashSet<>();
    private Headers done;
    private boolean ended;
    private boolean leaseLost;

    StepRun(
            Supplier<IdempotencyTransaction<C>> transactions,
            RegisteredConsumer consumer,
            MessageKey key,
            Message message,
            Duration lease,
            long token,
            Headers done) {
        this.transactions = transactions;
        this.consumer = consumer;
        this.key = key;
        this.message = message;
        this.lease = lease;
        this.token = token;
        this.done = done;
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
        byte[] result = inHeldTransaction(name, transaction -> {
            byte[] made = required(name, step.run(transaction.context(consumer, key, message)));
            transaction.endHandler();
            transaction.storeSteps(consumer, key, done.with(name, made));
            return made;
        });
        done = done.with(name, result);
        return result;
    }

    @Override
    public byte[] foreign(String name, ForeignStep step) throws Exception {
        byte[] known = resultOf(name);
        if (known != null) {
            return known;
        }
        // The lease counts from here on; whoever has lost it does not call.
        inHeldTransaction(name, transaction -> true);
        byte[] result = required(name, step.run(IdempotencyKey.of(consumer.name(), key, name)));
        Headers more = done.with(name, result);
        inHeldTransaction(name, transaction -> {
            transaction.storeSteps(consumer, key, more);
            return true;
        });
        done = more;
        return result;
    }

    /** Null where the step is to run. */
    private byte @Nullable [] resultOf(String name) {
        if (ended) {
            throw new IllegalStateException("the handler of this request has returned; no step can begin any more");
        }
        if (name.isBlank() || !begun.add(name)) {
            throw new IllegalArgumentException("each step needs a name of its own, not '" + name + "' again");
        }
        return done.last(name);
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
            if (!transaction.hold(consumer, key, token, lease)) {
                throw lost(step);
            }
            T result = work.in(transaction);
            transaction.commit();
            return result;
        } catch (ClaimBlockedException e) {
            // Nobody but a newer lease, or a person who forgets the request, is at its row.
            throw lost(step);
        }
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

    /** Where no step has begun, there is nothing to go on with. */
    void letGo(IdempotencyTransaction<C> transaction, Duration pause) {
        if (begun.isEmpty() && done.list().isEmpty()) {
            transaction.forget(consumer, key);
        } else {
            transaction.release(consumer, key, pause);
        }
    }
}
