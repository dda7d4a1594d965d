package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The work partitions in one transaction: who may store and who may work. */
final class Gate {
    private final Changes changes;

    Gate(Changes changes) {
        this.changes = changes;
    }

    void lock(RegisteredConsumer consumer, List<Integer> workPartitions, Duration timeout) {
        changes.inTurn(() -> {
            List<Lock.OfWorkPartition> locks = workPartitions.stream()
                    .map(workPartition -> new Lock.OfWorkPartition(consumer.id(), workPartition))
                    .toList();
            changes.awaitFree(locks, timeout);
            locks.forEach(changes::hold);
            return locks;
        });
    }

    Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) {
        return changes.inTurn(() -> {
            for (OrderingKey key : keys) {
                Lock workPartition = new Lock.OfWorkPartition(
                        consumer.id(), OrderingKey.partition(key.bytes(), consumer.workPartitions()));
                Promise.check(
                        changes.holds(workPartition),
                        "a key is asked for under the lock of its work partition: " + key);
            }
            Set<OrderingKey> blocked = new LinkedHashSet<>();
            for (WorkRow row : changes.work.all()) {
                OrderingKey key = OrderingKey.of(row.message());
                if (row.ordered() && key != null && row.row().consumer() == consumer.id() && keys.contains(key)) {
                    blocked.add(key);
                }
            }
            for (LetterRow letterRow : changes.letterRows.all()) {
                keys.stream().filter(key -> letterRow.blocks(consumer, key)).forEach(blocked::add);
            }
            return blocked;
        });
    }

    boolean enter(RegisteredConsumer consumer, int workPartition) {
        return changes.inTurn(() -> {
            Lock worker = new Lock.OfWorker(consumer.id(), workPartition);
            boolean free = changes.isFree(worker);
            if (free) {
                changes.hold(worker);
            }
            return free;
        });
    }

    void requireEntered(RegisteredConsumer consumer, int workPartition) {
        changes.inTurn(() -> {
            boolean entered = changes.holds(new Lock.OfWorker(consumer.id(), workPartition));
            Promise.check(
                    !consumer.order().isKept() || entered, "with an order a worker enters the work partition first");
            return entered;
        });
    }
}
