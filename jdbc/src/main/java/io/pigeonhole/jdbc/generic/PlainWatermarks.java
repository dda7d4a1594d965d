package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WatermarkMovedException;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.WatermarkColumns;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The rows of {@code inbox_watermark} on databases without PostgreSQL's abilities. */
final class PlainWatermarks {
    private PlainWatermarks() {}

    static List<Watermark> find(PlainSession session, RegisteredConsumer consumer, Collection<LogPartition> partitions)
            throws SQLException {
        List<LogPartition> wanted = partitions.stream().distinct().toList();
        try (Call call = session.call(WatermarkStatement.FIND, wanted.size())) {
            return call.texts(
                            "sources", wanted.stream().map(LogPartition::source).toList())
                    .numbers(
                            "partitions",
                            wanted.stream().map(LogPartition::partition).toList())
                    .consumer(consumer)
                    .read(rows -> WatermarkColumns.read(rows, consumer));
        }
    }

    /** In the order of their names, so that two who advance the same ones do not wait for each other in a circle. */
    static void advance(PlainSession session, RegisteredConsumer consumer, List<Advance> advances) throws SQLException {
        List<Advance> sorted = advances.stream()
                .sorted(Comparator.comparing(
                                (Advance advance) -> advance.from().partition().source())
                        .thenComparing(advance -> advance.from().partition().partition()))
                .toList();
        try (Call call = session.call(WatermarkStatement.ADVANCE)) {
            for (Advance advance : sorted) {
                Watermark from = advance.from();
                int advanced = bind(call, consumer, from.partition())
                        .number("position", advance.position())
                        .number("leader_epoch", advance.leaderEpoch())
                        .now()
                        .number("assignment", from.assignment())
                        .number("before", from.position())
                        .change();
                if (advanced == 0) {
                    throw new WatermarkMovedException(
                            "the watermark of " + from.partition() + " is not where it was read", null);
                }
            }
        }
    }

    private static Call bind(Call call, RegisteredConsumer consumer, LogPartition partition) throws SQLException {
        return call.consumer(consumer).text("source", partition.source()).number("partition", partition.partition());
    }
}
