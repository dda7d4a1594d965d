package io.pigeonhole.testkit.crash;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;

/**
 * Any store, with the {@linkplain CrashPoint points} around its transactions. What the store does is not changed. Safe for
 * use by many threads, as the store is.
 *
 * @param <C> the context that the store hands to handlers
 */
public final class CrashingStore<C extends HandlerContext> implements InboxStore<C> {
    private final InboxStore<C> store;
    private final CrashPlan plan;

    /**
     * Decorates a store.
     *
     * @param store the store
     * @param plan what happens where
     */
    public CrashingStore(InboxStore<C> store, CrashPlan plan) {
        this.store = store;
        this.plan = plan;
    }

    @Override
    public InboxTransaction<C> begin(Duration idleLimit) {
        plan.pass(CrashPoint.BEFORE_BEGIN);
        CrashingTransaction<C> transaction = new CrashingTransaction<>(store.begin(idleLimit), plan);
        try {
            plan.pass(CrashPoint.AFTER_BEGIN);
            return transaction;
        } catch (RuntimeException e) {
            transaction.close();
            throw e;
        }
    }

    @Override
    public RegisteredConsumer register(ConsumerRegistration registration) {
        return store.register(registration);
    }

    @Override
    public ErrorClass classify(Throwable failure) {
        return store.classify(failure);
    }

    @Override
    public void probe() {
        store.probe();
    }

    @Override
    public void maintain() {
        store.maintain();
    }
}
