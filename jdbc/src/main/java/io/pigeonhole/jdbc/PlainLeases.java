package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The leases in {@code inbox_work}. A token is the time of its lease in microseconds, or more: see {@code postgresql-work.sql}. */
final class PlainLeases {
    private PlainLeases() {}

    static List<WorkItem> lease(
            PlainSession session, RegisteredConsumer consumer, int lane, int limit, String owner, Duration duration)
            throws SQLException {
        List<WorkItem> items = new PlainDueWork(session, consumer, lane, true).take(limit, Long.MAX_VALUE);
        if (items.isEmpty()) {
            return items;
        }
        Instant now = session.now();
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
        LocalDateTime leasedAt = PlainSession.timestamp(now);
        List<WorkItem> leased = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(WorkStatement.LEASE)) {
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
                statement.setInt(1, lease.attempts());
                statement.setLong(2, lease.token());
                statement.setObject(3, leasedAt);
                statement.setObject(4, leasedAt.plus(duration));
                statement.setString(5, CleanText.of(owner));
                statement.setObject(6, leasedAt);
                statement.setLong(7, lease.id());
                statement.addBatch();
                leased.add(lease);
            }
            statement.executeBatch();
        }
        return leased;
    }

    static boolean hold(PlainSession session, RegisteredConsumer consumer, WorkItem item) throws SQLException {
        try (PreparedStatement statement = session.prepare(WorkStatement.HOLD)) {
            statement.setLong(1, item.id());
            statement.setShort(2, consumer.id());
            statement.setLong(3, item.token());
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
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
        try (PreparedStatement statement = session.prepare(WorkStatement.EXPIRED_PAGE)) {
            statement.setShort(1, consumer.id());
            PlainColumns.bindInstant(statement, 2, now);
            return PlainDueWork.Place.page(statement, 3, behind, limit);
        }
    }

    private static Map<Long, ExpiredLease> lock(PlainSession session, Instant now, List<PlainDueWork.Place> page)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(WorkStatement.TAKE_EXPIRED, page.size())) {
            int next = PlainSession.bindNumbers(
                    statement,
                    1,
                    page.stream().map(PlainDueWork.Place::id).sorted().toList());
            PlainColumns.bindInstant(statement, next, now);
            Map<Long, ExpiredLease> expired = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    WorkItem item = PlainColumns.item(rows, now);
                    int column = PlainColumns.OF_ITEM + 1;
                    Instant leasedAt = PlainColumns.instant(rows, column + 1);
                    Instant until = PlainColumns.instant(rows, column + 2);
                    expired.put(
                            item.id(),
                            new ExpiredLease(
                                    item,
                                    rows.getString(column),
                                    Duration.between(until, now),
                                    Duration.between(leasedAt, until)));
                }
            }
            return expired;
        }
    }

    /**
     * Prolongs leases without waiting. Who has locked such a row is about to finish it and is not to be waited for; its lease
     * is still told as the newest.
     */
    static Set<Long> prolong(PlainSession session, RegisteredConsumer consumer, List<WorkItem> items, Duration duration)
            throws SQLException {
        List<Long> ids = items.stream().map(WorkItem::id).sorted().toList();
        Set<Long> mine;
        try (PreparedStatement statement = session.prepare(WorkStatement.LEASES, ids.size())) {
            statement.setShort(1, consumer.id());
            PlainSession.bindNumbers(statement, 2, ids);
            mine = newest(statement, items);
        }
        if (mine.isEmpty()) {
            return mine;
        }
        Set<Long> locked;
        List<Long> sorted = mine.stream().sorted().toList();
        try (PreparedStatement statement = session.prepare(WorkStatement.LOCK_LEASES, sorted.size())) {
            PlainSession.bindNumbers(statement, 1, sorted);
            locked = newest(statement, items);
        }
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(WorkStatement.PROLONG)) {
            for (Long id : locked) {
                statement.setObject(1, now.plus(duration));
                statement.setObject(2, now);
                statement.setLong(3, id);
                statement.addBatch();
            }
            if (!locked.isEmpty()) {
                statement.executeBatch();
            }
        }
        return mine;
    }

    /** Which items still have the token that the row has. */
    private static Set<Long> newest(PreparedStatement statement, List<WorkItem> items) throws SQLException {
        Map<Long, Long> tokens = new HashMap<>();
        items.forEach(item -> tokens.put(item.id(), item.token()));
        try (ResultSet rows = statement.executeQuery()) {
            Set<Long> newest = new HashSet<>();
            while (rows.next()) {
                if (Long.valueOf(rows.getLong(2)).equals(tokens.get(rows.getLong(1)))) {
                    newest.add(rows.getLong(1));
                }
            }
            return newest;
        }
    }
}
