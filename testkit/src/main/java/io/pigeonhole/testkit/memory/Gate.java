package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The lanes in one transaction: who may store and who may work. */
final class Gate {
    private final Changes changes;

    Gate(Changes changes) {
        this.changes = changes;
    }

    void lock(RegisteredConsumer consumer, List<Integer> lanes, Duration timeout) {
        changes.inTurn(() -> {
            List<Lock.OfLane> locks = lanes.stream()
                    .map(lane -> new Lock.OfLane(consumer.id(), lane))
                    .toList();
            changes.awaitFree(locks, timeout);
            locks.forEach(changes::hold);
            return locks;
        });
    }

    Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) {
        return changes.inTurn(() -> {
            for (OrderingKey key : keys) {
                Lock lane = new Lock.OfLane(consumer.id(), OrderingKey.lane(key.bytes(), consumer.lanes()));
                Promise.check(changes.holds(lane), "a key is asked for under the lock of its lane: " + key);
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

    boolean enter(RegisteredConsumer consumer, int lane) {
        return changes.inTurn(() -> {
            Lock worker = new Lock.OfWorker(consumer.id(), lane);
            boolean free = changes.isFree(worker);
            if (free) {
                changes.hold(worker);
            }
            return free;
        });
    }

    void requireEntered(RegisteredConsumer consumer, int lane) {
        changes.inTurn(() -> {
            boolean entered = changes.holds(new Lock.OfWorker(consumer.id(), lane));
            Promise.check(!consumer.order().isKept() || entered, "with an order a worker enters the lane first");
            return entered;
        });
    }
}
