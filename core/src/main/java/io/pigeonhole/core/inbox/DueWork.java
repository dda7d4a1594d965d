package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one work partition that are due. The transaction that works on them takes them: the row lock is the lease, and a crash
 * frees it. After a rollback the same ones are taken again, as far as nobody else has brought them further.
 */
final class DueWork<C extends HandlerContext> implements Intake<C> {
    private final RegisteredConsumer consumer;
    private final int workPartition;
    private final EngineSettings settings;
    private @Nullable List<Envelope> group;
    private boolean entered;
    private boolean leavesForLeases;

    DueWork(RegisteredConsumer consumer, int workPartition, EngineSettings settings) {
        this(consumer, workPartition, settings, null);
    }

    private DueWork(
            RegisteredConsumer consumer, int workPartition, EngineSettings settings, @Nullable List<Envelope> group) {
        this.consumer = consumer;
        this.workPartition = workPartition;
        this.settings = settings;
        this.group = group;
    }

    @Override
    public List<Envelope> group() {
        return group == null ? List.of() : group;
    }

    int workPartition() {
        return workPartition;
    }

    /** Whether nobody else was at work in the work partition. */
    boolean hasEntered() {
        return entered;
    }

    /** Whether it has only left messages for leases, so that there may be more to do here. */
    boolean leavesForLeases() {
        return leavesForLeases;
    }

    @Override
    public Intake<C> part(List<Envelope> part) {
        return new DueWork<>(consumer, workPartition, settings, part);
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Dispatcher<C> dispatcher) {
        boolean again = group != null;
        List<WorkItem> items = take(transaction);
        if (!again) {
            group = items.stream().map(Envelope::of).toList();
        }
        Map<Long, Envelope> wanted = new HashMap<>();
        for (Envelope envelope : group()) {
            envelope.propose(null);
            envelope.noteTaken(false);
            WorkItem item = envelope.item();
            if (item != null) {
                wanted.put(item.id(), envelope);
            }
        }
        leavesForLeases = items.stream().anyMatch(item -> isSuspect(wanted.get(item.id()), item, dispatcher));
        for (WorkItem item : items) {
            @Nullable Envelope envelope = wanted.get(item.id());
            if (envelope != null && isAsBefore(envelope, item)) {
                envelope.noteTaken(true);
            }
            if (leavesForLeases && !isSuspect(envelope, item, dispatcher)) {
                // No handler runs beside what is left for leases: the next slow one would take that back.
                continue;
            }
            if (envelope != null && isAsBefore(envelope, item)) {
                dispatcher.resume(envelope, item);
            } else {
                // Whatever it is, those behind it with its key have to wait for it.
                dispatcher.decisions().blocked().addKeyOf(item.message());
            }
        }
    }

    private static boolean isSuspect(@Nullable Envelope envelope, WorkItem item, Dispatcher<?> dispatcher) {
        return envelope != null && isAsBefore(envelope, item) && dispatcher.isSuspect(envelope);
    }

    /** Since the rollback somebody else may have tried the message, or asked for a lease. */
    private static boolean isAsBefore(Envelope envelope, WorkItem now) {
        WorkItem before = envelope.item();
        return before != null && before.attempts() == now.attempts() && !now.byLease();
    }

    /**
     * With an order, what is taken again must be asked for like the first time: in a transaction of its own, each part of a
     * group has to see what the parts before it have left unfinished.
     */
    private List<WorkItem> take(InboxTransaction<C> transaction) {
        boolean nothingLeft = group != null && group.isEmpty();
        if (nothingLeft || !transaction.enter(consumer, workPartition)) {
            return List.of();
        }
        entered = true;
        if (group == null || consumer.order().isKept()) {
            return transaction.take(consumer, workPartition, settings.workBatch(), settings.workBytes());
        }
        List<Long> ids = new ArrayList<>();
        for (Envelope envelope : group) {
            WorkItem item = envelope.item();
            if (item != null) {
                ids.add(item.id());
            }
        }
        return transaction.retake(consumer, ids);
    }
}
