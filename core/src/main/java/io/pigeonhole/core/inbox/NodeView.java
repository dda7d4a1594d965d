package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** An inbox as nodes see it. */
final class NodeView<C extends HandlerContext> implements NodeInbox {
    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final Routing<C> routing;
    private final Worker<C> worker;
    private final RunningBatches running;
    private final WorkSignal signal;
    private final Listeners listeners;

    NodeView(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            Routing<C> routing,
            Worker<C> worker,
            RunningBatches running,
            WorkSignal signal,
            Listeners listeners) {
        this.store = store;
        this.consumer = consumer;
        this.routing = routing;
        this.worker = worker;
        this.running = running;
        this.signal = signal;
        this.listeners = listeners;
    }

    @Override
    public RegisteredConsumer registered() {
        return consumer;
    }

    @Override
    public boolean isOf(InboxStore<?> other) {
        return store == other;
    }

    @Override
    public boolean hasHandlers() {
        return routing.other() != null || !routing.routes().isEmpty();
    }

    @Override
    public UnknownType unknownType() {
        return routing.unknownType();
    }

    @Override
    public int work(Backlog.Due due, BooleanSupplier ending, Progress progress) {
        return Interrupts.ofOwner(ending, () -> worker.work(due, progress));
    }

    @Override
    public void lookAtBatches() {
        running.look();
        worker.lookAtLeases();
        running.abortTransactionsOf(worker.hanging().keySet());
    }

    @Override
    public List<String> slowBatches() {
        return running.slow(worker.hanging().keySet());
    }

    @Override
    public void reportOutcomes() {
        listeners.reportOutcomes();
    }

    @Override
    public void stopLeases(Predicate<Thread> workers) {
        worker.stopLeases(workers);
    }

    @Override
    public Map<Thread, Message> hangingThreads() {
        Map<Thread, Message> hanging = new HashMap<>(running.hanging());
        hanging.putAll(worker.hanging());
        return hanging;
    }

    @Override
    public void leaseWhatHangs() {
        worker.leaseWhatHangs();
    }

    @Override
    public Runnable whenWorkIsStored(Consumer<Set<Backlog.Due>> listener) {
        return signal.add(listener);
    }
}
