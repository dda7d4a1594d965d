package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.WorkItems;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The leases in {@code inbox_work}. */
final class LeaseRows {
    private LeaseRows() {}

    static List<WorkItem> lease(
            PostgresCalls calls,
            RegisteredConsumer consumer,
            int workPartition,
            int limit,
            String owner,
            Duration duration)
            throws SQLException {
        if (consumer.order().isKept()) {
            List<WorkItem> heads = DueWork.heads(calls, consumer, workPartition, limit);
            return heads.isEmpty() ? heads : leaseThese(calls, consumer, heads, owner, duration);
        }
        try (Call call = calls.search(PostgresWorkStatement.LEASE)) {
            return call.number("duration", duration.toMillis())
                    .text("owner", owner)
                    .consumer(consumer)
                    .number("work_partition", workPartition)
                    .number("limit", limit)
                    .all(WorkItems::read);
        }
    }

    private static List<WorkItem> leaseThese(
            PostgresCalls calls, RegisteredConsumer consumer, List<WorkItem> items, String owner, Duration duration)
            throws SQLException {
        try (Call call = calls.call(PostgresWorkStatement.LEASE_THESE)) {
            return call.number("duration", duration.toMillis())
                    .text("owner", owner)
                    .numbers("ids", WorkItems.ids(items))
                    .consumer(consumer)
                    .all(WorkItems::read);
        }
    }

    static boolean hold(PostgresCalls calls, RegisteredConsumer consumer, WorkItem item) throws SQLException {
        try (Call call = calls.call(PostgresWorkStatement.HOLD)) {
            return call.consumer(consumer)
                    .number("id", item.id())
                    .number("token", item.token())
                    .hasRow();
        }
    }

    static List<ExpiredLease> takeExpired(PostgresCalls calls, RegisteredConsumer consumer, int limit, long bytes)
            throws SQLException {
        try (Call call = calls.search(PostgresWorkStatement.TAKE_EXPIRED)) {
            int next = WorkItems.COLUMNS + 1;
            return call.consumer(consumer)
                    .number("limit", limit)
                    .number("bytes", bytes)
                    .all(row -> new ExpiredLease(
                            WorkItems.read(row),
                            row.getString(next),
                            WorkItems.microseconds(row.getLong(next + 1)),
                            WorkItems.microseconds(row.getLong(next + 2))));
        }
    }
}
