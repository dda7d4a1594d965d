package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageColumns;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The rows of {@code inbox_work_partition}, which are locked instead of work partitions, and what is asked under these locks. */
final class PlainWorkPartitions {
    private PlainWorkPartitions() {}

    /** Locks work partitions as those do who store messages. */
    static void lock(PlainSession session, RegisteredConsumer consumer, Collection<Integer> workPartitions)
            throws SQLException {
        TreeSet<Integer> ascending = new TreeSet<>(workPartitions);
        if (ascending.isEmpty()) {
            return;
        }
        try (Call call = session.call(LedgerStatement.LOCK_WORK_PARTITIONS, ascending.size())) {
            int locked = call.consumer(consumer)
                    .numbers("work_partitions", ascending)
                    .all(row -> row.getInt(1))
                    .size();
            if (locked != ascending.size()) {
                throw new StoreException(
                        ErrorClass.UNKNOWN,
                        "inbox_work_partition has rows for " + locked + " of the work partitions " + ascending
                                + " of the consumer " + consumer.name()
                                + "; nobody may delete from it. Register the consumer again",
                        null);
            }
        }
    }

    static boolean enter(PlainSession session, RegisteredConsumer consumer, int workPartition) throws SQLException {
        try (Call call = session.call(LedgerStatement.ENTER_WORK_PARTITION)) {
            return call.consumer(consumer)
                    .number("work_partition", workPartition)
                    .hasRow();
        }
    }

    static Set<OrderingKey> blocked(PlainSession session, RegisteredConsumer consumer, Collection<OrderingKey> keys)
            throws SQLException {
        List<OrderingKey> asked = List.copyOf(keys);
        Set<Integer> workPartitions = new TreeSet<>();
        asked.forEach(key -> workPartitions.add(OrderingKey.partition(key.bytes(), consumer.workPartitions())));
        try (Call call = session.call(
                WorkStatement.BLOCKED, Map.of("work_partitions", workPartitions.size(), "hashes", asked.size()))) {
            Set<OrderingKey> blocked = new HashSet<>(call.consumer(consumer)
                    .numbers("work_partitions", workPartitions)
                    .bytes("hashes", asked.stream().map(MessageColumns::hash).toList())
                    .all(row -> OrderingKey.of(row.getBytes(1))));
            blocked.retainAll(new HashSet<>(asked));
            return blocked;
        }
    }
}
