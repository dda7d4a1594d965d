package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageColumns;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
        try (Call call = session.call(LedgerStatement.LOCK_LANES, ascending.size())) {
            int locked = call.consumer(consumer)
                    .numbers("lanes", ascending)
                    .all(row -> row.getInt(1))
                    .size();
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
        try (Call call = session.call(LedgerStatement.ENTER_LANE)) {
            return call.consumer(consumer).number("lane", lane).hasRow();
        }
    }

    static Set<OrderingKey> blocked(PlainSession session, RegisteredConsumer consumer, Collection<OrderingKey> keys)
            throws SQLException {
        List<OrderingKey> asked = List.copyOf(keys);
        Set<Integer> lanes = new TreeSet<>();
        asked.forEach(key -> lanes.add(OrderingKey.lane(key.bytes(), consumer.lanes())));
        try (Call call = session.call(WorkStatement.BLOCKED, Map.of("lanes", lanes.size(), "hashes", asked.size()))) {
            Set<OrderingKey> blocked = new HashSet<>(call.consumer(consumer)
                    .numbers("lanes", lanes)
                    .bytes("hashes", asked.stream().map(MessageColumns::hash).toList())
                    .all(row -> OrderingKey.of(row.getBytes(1))));
            blocked.retainAll(new HashSet<>(asked));
            return blocked;
        }
    }
}
