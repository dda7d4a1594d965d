package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.Backlog.Kind;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** When something is due, as far as it is committed. */
final class DueDates {
    private static final int NO_WORK_PARTITION = -1;

    private record Place(Kind kind, int workPartition) {}

    private DueDates() {}

    static List<Due> of(Tables tables, Collection<RegisteredConsumer> consumers) {
        List<Due> due = new ArrayList<>();
        for (RegisteredConsumer consumer : consumers) {
            boolean paused = tables.paused.contains(consumer.id());
            first(tables, consumer.id()).forEach((place, in) -> {
                if (place.kind() == Kind.EXPIRING || !paused) {
                    due.add(new Due(consumer, place.kind(), place.workPartition(), in));
                }
            });
        }
        return due;
    }

    private static Map<Place, Duration> first(Tables tables, short consumer) {
        Map<Place, Duration> first = new LinkedHashMap<>();
        Instant now = tables.now();
        for (WorkRow row : tables.work.values()) {
            if (row.row().consumer() == consumer) {
                boolean leased = row.lease() != null;
                Duration in = WorkRow.until(leased ? row.leaseEnd() : row.due(), now);
                first.merge(placeOf(row), in, (one, other) -> one.compareTo(other) <= 0 ? one : other);
            }
        }
        return first;
    }

    private static Place placeOf(WorkRow row) {
        if (row.lease() != null) {
            return new Place(Kind.EXPIRING, NO_WORK_PARTITION);
        }
        return new Place(row.byLease() ? Kind.BY_LEASE : Kind.ORDINARY, row.workPartition());
    }
}
