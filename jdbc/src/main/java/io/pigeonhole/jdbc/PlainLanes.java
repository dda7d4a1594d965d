package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The rows of {@code inbox_lane}, which are locked instead of lanes, and what is asked under these locks. */
final class PlainLanes {
    private PlainLanes() {}

    /** Locks lanes as those do who store messages. */
    static void lock(PlainSession session, RegisteredConsumer consumer, Collection<Integer> lanes) throws SQLException {
        TreeSet<Integer> ascending = new TreeSet<>(lanes);
        if (ascending.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = session.prepare(LedgerStatement.LOCK_LANES, ascending.size())) {
            int next = 1;
            for (int lane : ascending) {
                statement.setShort(next++, consumer.id());
                statement.setInt(next++, lane);
            }
            int locked = 0;
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    locked++;
                }
            }
            if (locked != ascending.size()) {
                throw new StoreException(
                        ErrorClass.UNKNOWN,
                        "inbox_lane has rows for " + locked + " of the lanes " + ascending + " of the consumer "
                                + consumer.name() + "; nobody may delete from it. Register the consumer again",
                        null);
            }
        }
    }

    static boolean enter(PlainSession session, RegisteredConsumer consumer, int lane) throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.ENTER_LANE)) {
            statement.setShort(1, consumer.id());
            statement.setInt(2, lane);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    static Set<OrderingKey> blocked(PlainSession session, RegisteredConsumer consumer, Collection<OrderingKey> keys)
            throws SQLException {
        List<OrderingKey> asked = List.copyOf(keys);
        Set<Integer> lanes = new TreeSet<>();
        asked.forEach(key -> lanes.add(OrderingKey.lane(key.bytes(), consumer.lanes())));
        try (PreparedStatement statement =
                session.prepare(WorkStatement.BLOCKED, lanes.size(), asked.size(), lanes.size(), asked.size())) {
            int next = 1;
            for (int table = 0; table < 2; table++) {
                statement.setShort(next++, consumer.id());
                next = PlainSession.bindNumbers(statement, next, lanes);
                for (OrderingKey key : asked) {
                    statement.setBytes(next++, PlainColumns.hash(key));
                }
            }
            Set<OrderingKey> blocked = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    blocked.add(OrderingKey.of(rows.getBytes(1)));
                }
            }
            blocked.retainAll(new HashSet<>(asked));
            return blocked;
        }
    }
}
