package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The leases in {@code inbox_work}. */
final class LeaseRows {
    private static final String LEASE = PostgresStatements.withoutHandlersLimit(WorkStatements.LEASE);
    private static final String TAKE_EXPIRED = PostgresStatements.withoutHandlersLimit(WorkStatements.TAKE_EXPIRED);

    private LeaseRows() {}

    static List<WorkItem> lease(
            Connection connection, RegisteredConsumer consumer, int lane, int limit, String owner, Duration duration)
            throws SQLException {
        if (consumer.order().isKept()) {
            List<WorkItem> heads = DueWork.heads(connection, consumer, lane, limit);
            return heads.isEmpty() ? heads : leaseThese(connection, consumer, heads, owner, duration);
        }
        try (PreparedStatement statement = connection.prepareStatement(LEASE)) {
            statement.setLong(1, duration.toMillis());
            statement.setString(2, CleanText.of(owner));
            statement.setShort(3, consumer.id());
            statement.setInt(4, lane);
            statement.setInt(5, limit);
            try (ResultSet rows = DueWork.search(statement)) {
                return WorkItems.readAll(rows);
            }
        }
    }

    private static List<WorkItem> leaseThese(
            Connection connection, RegisteredConsumer consumer, List<WorkItem> items, String owner, Duration duration)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WorkStatements.LEASE_THESE)) {
            statement.setLong(1, duration.toMillis());
            statement.setString(2, CleanText.of(owner));
            statement.setString(3, WorkItems.ids(items));
            statement.setShort(4, consumer.id());
            return WorkItems.readAll(statement);
        }
    }

    static boolean hold(Connection connection, RegisteredConsumer consumer, WorkItem item) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WorkStatements.HOLD)) {
            statement.setShort(1, consumer.id());
            statement.setLong(2, item.id());
            statement.setLong(3, item.token());
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    static List<ExpiredLease> takeExpired(Connection connection, RegisteredConsumer consumer, int limit, long bytes)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TAKE_EXPIRED)) {
            statement.setShort(1, consumer.id());
            statement.setInt(2, limit);
            statement.setLong(3, bytes);
            try (ResultSet rows = DueWork.search(statement)) {
                List<ExpiredLease> expired = new ArrayList<>();
                while (rows.next()) {
                    int next = WorkItems.COLUMNS + 1;
                    expired.add(new ExpiredLease(
                            WorkItems.read(rows),
                            rows.getString(next),
                            WorkItems.microseconds(rows.getLong(next + 1)),
                            WorkItems.microseconds(rows.getLong(next + 2))));
                }
                return expired;
            }
        }
    }

    static Set<Long> prolong(
            PreparedStatement statement, RegisteredConsumer consumer, List<WorkItem> items, Duration duration)
            throws SQLException {
        statement.setString(1, WorkItems.ids(items));
        statement.setString(2, WorkItems.tokens(items));
        statement.setShort(3, consumer.id());
        statement.setLong(4, duration.toMillis());
        try (ResultSet rows = statement.executeQuery()) {
            Set<Long> ids = new HashSet<>();
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
            return ids;
        }
    }
}
