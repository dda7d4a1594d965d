package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The locks of lanes, and what is asked under them. */
final class LaneLocks {
    private LaneLocks() {}

    /** Binds from an index on. */
    static void bindLock(
            PreparedStatement statement, int first, String patience, RegisteredConsumer consumer, List<Integer> lanes)
            throws SQLException {
        statement.setString(first, patience);
        statement.setString(first + 1, String.valueOf(consumer.id()));
        statement.setString(first + 2, lanes.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}")));
    }

    /** Executes statements of which the one behind {@code skipped} others tries the lock. */
    static boolean enter(PreparedStatement statement, int first, int skipped, RegisteredConsumer consumer, int lane)
            throws SQLException {
        statement.setString(first, consumer.id() + " " + lane);
        statement.execute();
        for (int i = 0; i < skipped; i++) {
            statement.getMoreResults();
        }
        try (ResultSet row = statement.getResultSet()) {
            return row.next() && row.getBoolean(1);
        }
    }

    static Set<OrderingKey> blocked(Connection connection, RegisteredConsumer consumer, Collection<OrderingKey> keys)
            throws SQLException {
        List<OrderingKey> list = List.copyOf(keys);
        try (PreparedStatement statement = connection.prepareStatement(LaneStatements.BLOCKED)) {
            statement.setString(1, bytes(list));
            statement.setString(
                    2,
                    list.stream()
                            .map(key -> String.valueOf(OrderingKey.lane(key.bytes(), consumer.lanes())))
                            .collect(Collectors.joining(",", "{", "}")));
            statement.setShort(3, consumer.id());
            statement.setShort(4, consumer.id());
            Set<OrderingKey> blocked = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    blocked.add(list.get(rows.getInt(1) - 1));
                }
            }
            return blocked;
        }
    }

    /** The text of a {@code bytea[]}, which every driver can carry. */
    private static String bytes(List<OrderingKey> keys) {
        return keys.stream()
                .map(key -> "\"\\\\x" + HexFormat.of().formatHex(key.bytes()) + "\"")
                .collect(Collectors.joining(",", "{", "}"));
    }
}
