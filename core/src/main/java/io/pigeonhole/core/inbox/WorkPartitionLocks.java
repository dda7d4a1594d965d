package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Locks the work partitions of the ordering keys of deliveries, before anything is asked about these keys. Nothing is locked where no order
 * is kept.
 */
final class WorkPartitionLocks {
    private static final String WORK_PARTITION_BUSY =
            "another transaction is at work in the work partition of its ordering key";

    private final InboxTransaction<?> transaction;
    private final RegisteredConsumer consumer;
    private final LogView log;

    WorkPartitionLocks(InboxTransaction<?> transaction, RegisteredConsumer consumer, LogView log) {
        this.transaction = transaction;
        this.consumer = consumer;
        this.log = log;
    }

    /**
     * Locks all work partitions; in halves, those that are free, and what belongs to the others is held back.
     *
     * <p>Blocked here means that others are at work, which is no reason to look for a message that is held: it is tried again, and
     * in the end what belongs to the work partitions that are not free is busy.
     *
     * @throws WorkPartitionBusyException if one of them is not free; not in halves
     */
    void lock(List<Envelope> group, boolean inHalves, Duration timeout) {
        if (!consumer.order().isKept()) {
            return;
        }
        TreeSet<Integer> workPartitions = new TreeSet<>();
        for (Envelope envelope : group) {
            if (needsWorkPartition(envelope)) {
                workPartitions.add(workPartitionOf(envelope));
            }
        }
        if (workPartitions.isEmpty()) {
            return;
        }
        if (inHalves) {
            Set<Integer> busy = new HashSet<>();
            lockInHalves(List.copyOf(workPartitions), timeout, busy);
            holdBack(group, busy);
            return;
        }
        try {
            transaction.lock(consumer, List.copyOf(workPartitions), timeout);
        } catch (ClaimBlockedException e) {
            throw new WorkPartitionBusyException(workPartitions.size(), e);
        }
    }

    private boolean needsWorkPartition(Envelope envelope) {
        return consumer.keepsOrderOf(envelope.message()) && log.isAhead(envelope) && envelope.heldBack() == null;
    }

    private int workPartitionOf(Envelope envelope) {
        return consumer.workPartitionOf(envelope.message(), envelope.key());
    }

    /** As with keys: a half waits only long enough to see that it is not free yet. */
    private void lockInHalves(List<Integer> sorted, Duration timeout, Set<Integer> busy) {
        transaction.savepoint();
        try {
            transaction.lock(consumer, sorted, timeout);
        } catch (ClaimBlockedException e) {
            transaction.rollbackToSavepoint();
            if (sorted.size() == 1) {
                busy.addAll(sorted);
                return;
            }
            int middle = sorted.size() / 2;
            lockInHalves(sorted.subList(0, middle), Claimer.SHORT_TIMEOUT, busy);
            lockInHalves(sorted.subList(middle, sorted.size()), Claimer.SHORT_TIMEOUT, busy);
        }
    }

    /** Messages of work partitions that are not free are busy, and what must not overtake them is held back. */
    private void holdBack(List<Envelope> group, Set<Integer> busyWorkPartitions) {
        HeldOrders held = new HeldOrders(consumer);
        for (Envelope envelope : group) {
            if (needsWorkPartition(envelope) && busyWorkPartitions.contains(workPartitionOf(envelope))) {
                envelope.holdBack(WORK_PARTITION_BUSY);
                held.hold(envelope);
            } else if (held.isBehind(envelope)) {
                envelope.holdBack(HeldOrders.BEHIND_BUSY);
            }
        }
    }
}
