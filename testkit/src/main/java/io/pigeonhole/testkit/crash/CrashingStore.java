package io.pigeonhole.testkit.crash;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

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
    public List<Due> due(Collection<RegisteredConsumer> consumers) {
        return store.due(consumers);
    }

    @Override
    public Set<Integer> appendedTo(String destination) {
        return store.appendedTo(destination);
    }

    @Override
    public Runnable whenAppended(BiConsumer<String, Set<Integer>> listener) {
        return store.whenAppended(listener);
    }

    @Override
    public int started(RegisteredConsumer consumer, Start start, int limit, Duration fresh) {
        return store.started(consumer, start, limit, fresh);
    }

    @Override
    public void ended(RegisteredConsumer consumer, Start start) {
        store.ended(consumer, start);
    }

    @Override
    public void survived(RegisteredConsumer consumer, Start start) {
        store.survived(consumer, start);
    }

    @Override
    public Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log) {
        plan.pass(CrashPoint.BEFORE_ACQUIRE);
        Watermark watermark = store.acquire(consumer, partition, log);
        plan.pass(CrashPoint.AFTER_ACQUIRE);
        return watermark;
    }

    @Override
    public Heartbeat heartbeat() {
        Heartbeat heartbeat = store.heartbeat();
        return new Heartbeat() {
            @Override
            public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
                plan.pass(CrashPoint.BEFORE_HEARTBEAT);
                Set<Long> prolonged = heartbeat.prolong(consumer, items, duration);
                plan.pass(CrashPoint.AFTER_HEARTBEAT);
                return prolonged;
            }

            @Override
            public void close() {
                heartbeat.close();
            }
        };
    }

    @Override
    public ReplayStore replays() {
        return store.replays();
    }

    @Override
    public HistoryDays historyDays() {
        return store.historyDays();
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
    public Duration preparedFor() {
        return store.preparedFor();
    }

    @Override
    public void maintain() {
        store.maintain();
    }

    @Override
    public Duration window() {
        return store.window();
    }

    @Override
    public Retired retire() {
        return store.retire();
    }

    @Override
    public Retired retireWithoutArchive() {
        return store.retireWithoutArchive();
    }

    @Override
    public Retired retireArchived() {
        return store.retireArchived();
    }
}
