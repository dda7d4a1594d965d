package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WatermarkMovedException;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of {@code inbox_watermark} on databases without PostgreSQL's abilities. */
final class PlainWatermarks {
    private PlainWatermarks() {}

    static List<Watermark> find(PlainSession session, RegisteredConsumer consumer, Collection<LogPartition> partitions)
            throws SQLException {
        List<LogPartition> wanted = partitions.stream().distinct().toList();
        try (Call call = session.call(WatermarkStatement.WATERMARKS, wanted.size())) {
            return call.texts(
                            "sources", wanted.stream().map(LogPartition::source).toList())
                    .numbers(
                            "partitions",
                            wanted.stream().map(LogPartition::partition).toList())
                    .consumer(consumer)
                    .read(rows -> WatermarkRows.read(rows, consumer));
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

    static Watermark acquire(PlainSession session, RegisteredConsumer consumer, LogPartition partition, String log)
            throws SQLException {
        requireMode(session, consumer);
        Watermark before = lock(session, consumer, partition);
        if (before == null) {
            insert(session, consumer, partition, log);
            before = lock(session, consumer, partition);
        }
        if (before == null) {
            throw new SQLException("the watermark of " + partition + " was inserted and is gone again");
        }
        if (before.hasPosition() && !before.log().equals(log)) {
            throw consumer.otherLog(partition, before.log(), log);
        }
        try (Call call = session.call(WatermarkStatement.ACQUIRE)) {
            bind(call, consumer, partition)
                    .number("assignment", before.assignment() + 1)
                    .text("log", log)
                    .now()
                    .change();
        }
        return new Watermark(partition, log, before.assignment() + 1, before.position(), before.leaderEpoch());
    }

    private static void requireMode(PlainSession session, RegisteredConsumer consumer) throws SQLException {
        try (Call call = session.call(WatermarkStatement.DEDUPLICATION)) {
            String mode = call.consumer(consumer).read(row -> {
                row.next();
                return row.getString(1);
            });
            consumer.requireDeduplication(Deduplication.valueOf(mode));
        }
    }

    private static @Nullable Watermark lock(PlainSession session, RegisteredConsumer consumer, LogPartition partition)
            throws SQLException {
        try (Call call = session.call(WatermarkStatement.LOCK)) {
            return bind(call, consumer, partition)
                    .first(row ->
                            new Watermark(partition, row.getString(1), row.getLong(2), row.getLong(3), row.getInt(4)));
        }
    }

    /** Where somebody else was first, that one's row does. */
    private static void insert(PlainSession session, RegisteredConsumer consumer, LogPartition partition, String log)
            throws SQLException {
        try (Call call = session.call(WatermarkStatement.INSERT)) {
            bind(call, consumer, partition).text("log", log).now().change();
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
        }
    }

    private static Call bind(Call call, RegisteredConsumer consumer, LogPartition partition) throws SQLException {
        return call.consumer(consumer).text("source", partition.source()).number("partition", partition.partition());
    }
}
