package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.ExternalContext;
import io.pigeonhole.core.handler.ExternalHandler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.IdempotencyKey;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works on messages one by one under a lease: lease and attempt are committed first, then the handler runs, then a
 * transaction that is fenced by the token finishes the message. External handlers run outside any transaction; handlers of
 * messages that may have killed a process run in the finishing one.
 */
final class LeaseWorker<C extends HandlerContext> {
    private static final Logger log = LoggerFactory.getLogger(LeaseWorker.class);
    private static final Duration PAUSE = Duration.ofMillis(500);

    /** How often a database that is there may refuse to finish a message, before its lease is left to run out. */
    private static final int MOST_REFUSALS = 10;

    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final Routing<C> routing;
    private final EngineSettings settings;
    private final InboxEngine<C> engine;
    private final Listeners listeners;
    private final LeaseKeeper keeper;
    /** No type needs a lease for itself: whatever is under one may have killed a process. */
    private final boolean onlySuspects;
    /** What a killer finds beside it fails with it, and might be given up on with it. */
    private final AtomicReference<@Nullable Turn> alone = new AtomicReference<>();

    /** Being alone, which ends with the lease: a handler that hangs would keep all others waiting. */
    private static final class Turn {
        private volatile LeaseKeeper.@Nullable Kept lease;

        boolean isOver() {
            LeaseKeeper.Kept under = lease;
            return under != null && under.isLost();
        }
    }

    LeaseWorker(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            Routing<C> routing,
            EngineSettings settings,
            InboxEngine<C> engine,
            Listeners listeners) {
        this.store = store;
        this.consumer = consumer;
        this.routing = routing;
        this.settings = settings;
        this.engine = engine;
        this.listeners = listeners;
        this.onlySuspects = routing.routes().values().stream().noneMatch(Route::isExternal);
        this.keeper = new LeaseKeeper(consumer, store::heartbeat, settings.lease());
    }

    /** Lets the leases run out that these threads work under. */
    void stop(Predicate<Thread> workers) {
        keeper.stop(workers);
    }

    /** Ends calls under leases that take too long. */
    void look() {
        keeper.look();
    }

    /** The threads that hang in a handler although its lease has run out, and the messages that they are at. */
    Map<Thread, Message> hanging() {
        return keeper.hanging();
    }

    /**
     * Leases one message of a work partition and works on it; 0 where there is none to lease, another has to be alone, or the lease was lost,
     * so that nothing was committed behind it.
     *
     * @param whenLeased called once the lease is committed
     * @param whenAway called each time the database is away, or refuses to commit whatever it is, when the message is to be finished
     */
    int work(int workPartition, Runnable whenLeased, Consumer<RetryableException> whenAway) {
        Turn turn = new Turn();
        if (!onlySuspects) {
            return work(workPartition, turn, whenLeased, whenAway);
        }
        @Nullable Turn before = alone.get();
        if ((before != null && !before.isOver()) || !alone.compareAndSet(before, turn)) {
            return 0;
        }
        try {
            return work(workPartition, turn, whenLeased, whenAway);
        } finally {
            alone.compareAndSet(turn, null);
        }
    }

    private int work(int workPartition, Turn turn, Runnable whenLeased, Consumer<RetryableException> whenAway) {
        try (LeaseKeeper.@Nullable Kept lease = lease(workPartition)) {
            if (lease == null) {
                return 0;
            }
            turn.lease = lease;
            whenLeased.run();
            return work(lease.item(), lease, whenAway) ? 1 : 0;
        }
    }

    private LeaseKeeper.Limit limitOf(WorkItem item) {
        Route<?, C> route = routing.routeOf(item.message());
        return route != null && route.isExternal()
                ? new LeaseKeeper.Limit(settings.externalTimeout(), "externalTimeout")
                : new LeaseKeeper.Limit(settings.longestCall(), "handlerTimeout, of which it is ten times as long");
    }

    /** Null where there is nothing to lease. */
    private LeaseKeeper.@Nullable Kept lease(int workPartition) {
        List<WorkItem> leased = List.of();
        long asked = System.nanoTime();
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            if (!transaction.enter(consumer, workPartition)) {
                return null;
            }
            asked = System.nanoTime();
            leased = transaction.lease(consumer, workPartition, 1, settings.node(), settings.lease());
            transaction.commit();
        } catch (OutcomeUnknownException e) {
            return leased.isEmpty() ? null : keepIfLeased(leased.get(0), asked, e);
        } catch (StoreException e) {
            throw new RetryableException(
                    "nothing could be leased in work partition " + workPartition + "; try again", e);
        }
        return leased.isEmpty() ? null : keep(leased.get(0), asked);
    }

    private LeaseKeeper.Kept keep(WorkItem item, long asked) {
        return keeper.keep(item, limitOf(item), asked);
    }

    /**
     * The connection was lost while the lease was committed. If it is there, nobody else knows that no attempt has begun: it
     * would run out, and the attempt would have failed. No other lease has its token, so that the token decides. Null where
     * it is not there.
     */
    private LeaseKeeper.@Nullable Kept keepIfLeased(WorkItem item, long asked, OutcomeUnknownException unknown) {
        LeaseKeeper.Kept lease = keep(item, asked);
        boolean held = false;
        try {
            held = isHeld(lease, unknown);
            return held ? lease : null;
        } finally {
            if (!held) {
                lease.close();
            }
        }
    }

    private boolean isHeld(LeaseKeeper.Kept lease, OutcomeUnknownException unknown) {
        for (int tries = 1; true; tries++) {
            lease.step();
            try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
                return transaction.hold(consumer, lease.item());
            } catch (RetryableException | StoreException e) {
                log.debug(
                        "consumer '{}': cannot ask for a lease of {} yet",
                        consumer.name(),
                        lease.item().message(),
                        e);
                boolean refused = e instanceof StoreException && store.classify(e) != ErrorClass.UNAVAILABLE;
                if ((refused && tries >= MOST_REFUSALS) || isLost(lease)) {
                    throw unknown;
                }
            }
        }
    }

    /** False where the lease was lost. */
    private boolean work(WorkItem item, LeaseKeeper.Kept lease, Consumer<RetryableException> whenAway) {
        Envelope envelope = Envelope.of(item);
        Route<?, C> route = routing.routeOf(item.message());
        if (route != null && isExhausted(envelope)) {
            return finish(
                    item,
                    envelope,
                    lease,
                    whenAway,
                    dispatcher -> dispatcher.decisions().exhausted(envelope),
                    Map.of());
        }
        boolean tooLarge = item.message().payload().length > routing.payloadLimitOf(route);
        if (route == null || route.external() == null || tooLarge) {
            return finish(item, envelope, lease, whenAway, dispatcher -> handle(dispatcher, envelope, lease), Map.of());
        }
        return external(item, envelope, lease, whenAway, route);
    }

    private static <C extends HandlerContext> void handle(
            Dispatcher<C> dispatcher, Envelope envelope, LeaseKeeper.Kept lease) {
        try {
            lease.call(() -> {
                dispatcher.handle(envelope);
                return envelope;
            });
        } catch (DecoderTimeoutException e) {
            throw e;
        } catch (Exception e) {
            dispatcher.notDecoded(envelope, e);
        }
        dispatcher.tasks().replaceAll(task -> new Task.UnderLease<>(task, lease, false));
    }

    /** What it writes may take as long as a handler; it is begun although the external handler has taken longer than it may. */
    private void complete(
            Dispatcher<C> dispatcher, Envelope envelope, Completion<C> completion, LeaseKeeper.Kept lease) {
        dispatcher.complete(envelope, completion);
        dispatcher.tasks().replaceAll(task -> new Task.UnderLease<>(task, lease, true));
    }

    /**
     * Whether no attempt was left before this one. A program that does not know the type can note that a lease of it ran out,
     * but not give up on it: who knows the type must not try once more what kills each process that tries.
     */
    private boolean isExhausted(Envelope envelope) {
        return envelope.attemptForPolicy() > routing.retryOf(envelope.message()).maxAttempts();
    }

    private <T> boolean external(
            WorkItem item,
            Envelope envelope,
            LeaseKeeper.Kept lease,
            Consumer<RetryableException> whenAway,
            Route<T, C> route) {
        T payload;
        try {
            payload = lease.call(() -> route.decode(item.message()));
        } catch (Throwable e) {
            Interrupts.requireNotEnding(1, e);
            return finish(item, envelope, lease, whenAway, dispatcher -> dispatcher.notDecoded(envelope, e), Map.of());
        } finally {
            Interrupts.clear();
        }
        Completion<C> completion = Completion.nothing();
        Map<Envelope, Failure> known = Map.of();
        long started = System.nanoTime();
        try {
            ExternalHandler<T, C> handler = Objects.requireNonNull(route.external());
            AtomicReference<Completion<C>> completed = new AtomicReference<>(completion);
            listeners.aroundHandler(
                    List.of(envelope),
                    () -> completed.set(
                            lease.call(() -> handler.handle(payload, new Context(consumer.name(), item, lease)))));
            completion = Objects.requireNonNull(completed.get(), "the external handler returned null");
        } catch (Throwable e) {
            Interrupts.requireNotEnding(1, e);
            Duration duration = Duration.ofNanos(System.nanoTime() - started);
            known = Map.of(envelope, Failure.ofExternal(e, store.classify(e), duration));
        } finally {
            Interrupts.clear();
        }
        Completion<C> toWrite = completion;
        return finish(
                item, envelope, lease, whenAway, dispatcher -> complete(dispatcher, envelope, toWrite, lease), known);
    }

    /**
     * Tries until it is decided, or the lease is lost: while the database is away or full, there is nothing better to do. What a
     * database refuses otherwise is left alone after some tries: the lease runs out, and the attempt has failed. False where it was lost.
     */
    private boolean finish(
            WorkItem item,
            Envelope envelope,
            LeaseKeeper.Kept lease,
            Consumer<RetryableException> whenAway,
            Consumer<Dispatcher<C>> decision,
            Map<Envelope, Failure> known) {
        LeasedMessage<C> leased = new LeasedMessage<>(consumer, item, envelope, decision, lease::isFresh);
        int refusals = 0;
        while (true) {
            lease.step();
            try {
                engine.settle(leased, known);
                break;
            } catch (RetryableException e) {
                log.debug(
                        "consumer '{}': {} could not be finished yet",
                        consumer.name(),
                        item.message(),
                        FailureText.readable(e));
                if (e instanceof OutcomeUnknownException) {
                    leased.commitIsUnknown();
                }
                boolean away = e instanceof StoreUnavailableException
                        || e instanceof OutcomeUnknownException
                        || store.classify(e) == ErrorClass.UNAVAILABLE;
                if (away) {
                    whenAway.accept(e);
                } else {
                    refusals++;
                }
                if (refusals == MOST_REFUSALS || (isLost(lease) && !(leased.isUncertain() && pause()))) {
                    throw e;
                }
            }
        }
        if (leased.isFenced()) {
            listeners.leaseLost(item.message());
        }
        return !leased.isFenced();
    }

    /** False where the thread is to end. */
    private static boolean pause() {
        LockSupport.parkNanos(PAUSE.toNanos());
        return !Thread.currentThread().isInterrupted();
    }

    private static boolean isLost(LeaseKeeper.Kept lease) {
        try {
            return lease.awaitLoss(PAUSE);
        } catch (InterruptedException e) {
            if (!Interrupts.areOurs()) {
                Interrupts.caught();
                return lease.isLost();
            }
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** What an external handler gets. */
    private record Context(String consumer, WorkItem item, LeaseKeeper.Kept lease) implements ExternalContext {
        @Override
        public Message message() {
            return item.message();
        }

        @Override
        public int attempt() {
            return item.attempts();
        }

        @Override
        public String idempotencyKey(String step) {
            return IdempotencyKey.of(consumer, item.key(), step);
        }

        @Override
        public boolean isLeaseLost() {
            return lease.mayBeLost();
        }
    }
}
