package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The leases in {@code inbox_work}. A token is the time of its lease in microseconds, or more: see {@code postgresql-work.sql}. */
final class PlainLeases {
    private PlainLeases() {}

    static List<WorkItem> lease(
            PlainSession session,
            RegisteredConsumer consumer,
            int workPartition,
            int limit,
            String owner,
            Duration duration)
            throws SQLException {
        List<WorkItem> items = new PlainDueWork(session, consumer, workPartition, true).take(limit, Long.MAX_VALUE);
        if (items.isEmpty()) {
            return items;
        }
        Instant now = session.now();
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
        List<WorkItem> leased = new ArrayList<>();
        try (Call call = session.call(WorkStatement.LEASE)) {
            for (WorkItem item : items) {
                WorkItem lease = new WorkItem(
                        item.id(),
                        item.key(),
                        item.message(),
                        item.attempts() + 1,
                        item.retriedAttempts(),
                        item.age(),
                        true,
                        Math.max(item.token() + 1, micros));
                call.number("attempts", lease.attempts())
                        .number("token", lease.token())
                        .instant("now", now)
                        .instant("until", now.plus(duration))
                        .text("owner", owner)
                        .number("id", lease.id())
                        .addBatch();
                leased.add(lease);
            }
            call.changeLockedBatch(items.size());
        }
        return leased;
    }

    static boolean hold(PlainSession session, RegisteredConsumer consumer, WorkItem item) throws SQLException {
        try (Call call = session.call(WorkStatement.HOLD)) {
            return call.number("id", item.id())
                    .consumer(consumer)
                    .number("token", item.token())
                    .hasRow();
        }
    }

    /** Page after page, passing what others have. */
    static List<ExpiredLease> takeExpired(PlainSession session, RegisteredConsumer consumer, int limit, long bytes)
            throws SQLException {
        Instant now = session.now();
        List<ExpiredLease> taken = new ArrayList<>();
        PlainDueWork.Place place = PlainDueWork.Place.FIRST;
        long room = bytes;
        while (taken.size() < limit) {
            List<PlainDueWork.Place> page = PlainDueWork.Place.within(
                    room, page(session, consumer, now, place, limit - taken.size()), taken.isEmpty());
            if (page.isEmpty()) {
                break;
            }
            Map<Long, ExpiredLease> locked = lock(session, now, page);
            for (PlainDueWork.Place planned : page) {
                ExpiredLease lease = locked.get(planned.id());
                if (lease != null) {
                    taken.add(lease);
                    room -= planned.bytes();
                }
            }
            place = page.get(page.size() - 1);
        }
        return taken;
    }

    private static List<PlainDueWork.Place> page(
            PlainSession session, RegisteredConsumer consumer, Instant now, PlainDueWork.Place behind, int limit)
            throws SQLException {
        try (Call call = session.call(WorkStatement.EXPIRED_PAGE)) {
            return PlainDueWork.Place.page(call.consumer(consumer).instant("now", now), behind, limit);
        }
    }

    private static Map<Long, ExpiredLease> lock(PlainSession session, Instant now, List<PlainDueWork.Place> page)
            throws SQLException {
        try (Call call = session.call(WorkStatement.TAKE_EXPIRED, page.size())) {
            call.numbers(
                            "ids",
                            page.stream().map(PlainDueWork.Place::id).sorted().toList())
                    .instant("now", now);
            Map<Long, ExpiredLease> expired = new HashMap<>();
            call.all(row -> expired(row, now))
                    .forEach(lease -> expired.put(lease.item().id(), lease));
            return expired;
        }
    }

    private static ExpiredLease expired(ResultSet row, Instant now) throws SQLException {
        int owner = PlainColumns.OF_ITEM + 1;
        Instant leasedAt = PlainColumns.instant(row, owner + 1);
        Instant until = PlainColumns.instant(row, owner + 2);
        return new ExpiredLease(
                PlainColumns.item(row, now),
                row.getString(owner),
                Duration.between(until, now),
                Duration.between(leasedAt, until));
    }
}
