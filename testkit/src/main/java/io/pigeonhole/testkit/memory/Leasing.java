package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The leases in one transaction. */
final class Leasing {
    /** Whoever holds a leased message finishes it soon, or is put out. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Changes changes;
    private final Work work;

    Leasing(Changes changes, Work work) {
        this.changes = changes;
        this.work = work;
    }

    List<WorkItem> lease(RegisteredConsumer consumer, int workPartition, int limit, String owner, Duration duration) {
        return changes.inTurn(() -> {
            Instant now = changes.now();
            List<WorkItem> items = new ArrayList<>();
            for (WorkRow row : new Candidates(changes, consumer, workPartition).forLeasing(now, limit)) {
                WorkRow leased = work.held(row).leased(owner, now, duration);
                changes.work.put(leased.row(), leased);
                items.add(leased.item(now));
            }
            return items;
        });
    }

    boolean hold(RegisteredConsumer consumer, WorkItem item) {
        return changes.inTurn(() -> {
            changes.awaitFree(List.of(new Lock.OfWork(new Row(consumer.id(), item.key()))), TIMEOUT);
            WorkRow row = work.leased(consumer, item);
            if (row == null) {
                return false;
            }
            work.held(row);
            return true;
        });
    }

    List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes) {
        return changes.inTurn(() -> {
            Instant now = changes.now();
            List<WorkRow> expired = changes.work.all().stream()
                    .filter(row -> row.row().consumer() == consumer.id()
                            && !row.leaseEnd().isAfter(now))
                    .filter(row -> changes.isFree(new Lock.OfWork(row.row())))
                    .sorted(Comparator.comparing(WorkRow::leaseEnd).thenComparingLong(WorkRow::id))
                    .limit(limit)
                    .toList();
            return Candidates.within(bytes, expired).stream()
                    .map(row -> work.held(row).expired(now))
                    .toList();
        });
    }

    /**
     * Prolongs the leases that are still the newest. A message that another transaction holds is left alone: whoever
     * completes it or takes its lease away is about to end the lease.
     */
    Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
        return changes.inTurn(() -> {
            Instant until = changes.now().plus(duration);
            Set<Long> prolonged = new HashSet<>();
            for (WorkItem item : items) {
                WorkRow row = work.leased(consumer, item);
                if (row != null) {
                    prolonged.add(item.id());
                    if (changes.isFree(new Lock.OfWork(row.row()))) {
                        changes.work.put(row.row(), work.held(row).prolonged(until));
                    }
                }
            }
            return prolonged;
        });
    }
}
