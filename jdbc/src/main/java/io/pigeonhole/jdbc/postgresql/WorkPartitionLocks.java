package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The locks of work partitions, and what is asked under them. */
final class WorkPartitionLocks {
    private WorkPartitionLocks() {}

    static void lock(Call call, String timeout, RegisteredConsumer consumer, List<Integer> workPartitions)
            throws SQLException {
        call.text("timeout", timeout);
        lock(call, consumer, workPartitions);
    }

    /** One after the other, as they come. */
    static void lock(Call call, RegisteredConsumer consumer, Collection<Integer> workPartitions) throws SQLException {
        call.text("consumer_id", String.valueOf(consumer.id()))
                .numbers("work_partitions", workPartitions)
                .execute();
    }

    static boolean enter(Call call, RegisteredConsumer consumer, int workPartition) throws SQLException {
        return call.text("worker", consumer.id() + " " + workPartition).read(row -> row.next() && row.getBoolean(1));
    }

    static Set<OrderingKey> blocked(PostgresCalls calls, RegisteredConsumer consumer, Collection<OrderingKey> keys)
            throws SQLException {
        List<OrderingKey> list = List.copyOf(keys);
        List<Integer> workPartitions = list.stream()
                .map(key -> OrderingKey.partition(key.bytes(), consumer.workPartitions()))
                .toList();
        try (Call call = calls.call(PostgresWorkPartitionStatement.BLOCKED)) {
            return new HashSet<>(call.text("keys", bytes(list))
                    .numbers("work_partitions", workPartitions)
                    .consumer(consumer)
                    .all(row -> list.get(row.getInt(1) - 1)));
        }
    }

    /** The text of a {@code bytea[]}, which every driver can carry. */
    private static String bytes(List<OrderingKey> keys) {
        return keys.stream()
                .map(key -> "\"\\\\x" + HexFormat.of().formatHex(key.bytes()) + "\"")
                .collect(Collectors.joining(",", "{", "}"));
    }
}
