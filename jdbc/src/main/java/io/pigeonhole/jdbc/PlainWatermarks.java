package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WatermarkMovedException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows of {@code inbox_watermark} on databases without PostgreSQL's abilities. */
final class PlainWatermarks {
    private PlainWatermarks() {}

    static List<Watermark> find(PlainSession session, RegisteredConsumer consumer, Collection<LogPartition> partitions)
            throws SQLException {
        Set<LogPartition> wanted = new HashSet<>(partitions);
        try (PreparedStatement statement = session.prepare(WatermarkStatement.WATERMARKS, wanted.size())) {
            int next = 1;
            for (LogPartition partition : wanted) {
                statement.setString(next++, CleanText.of(partition.source()));
                statement.setInt(next++, partition.partition());
            }
            statement.setShort(next, consumer.id());
            try (ResultSet rows = statement.executeQuery()) {
                return WatermarkRows.read(rows, consumer);
            }
        }
    }

    /** In the order of their names, so that two who advance the same ones do not wait for each other in a circle. */
    static void advance(PlainSession session, RegisteredConsumer consumer, List<Advance> advances) throws SQLException {
        List<Advance> sorted = advances.stream()
                .sorted(Comparator.comparing(
                                (Advance advance) -> advance.from().partition().source())
                        .thenComparing(advance -> advance.from().partition().partition()))
                .toList();
        try (PreparedStatement statement = session.prepare(WatermarkStatement.ADVANCE)) {
            for (Advance advance : sorted) {
                Watermark from = advance.from();
                statement.setLong(1, advance.position());
                statement.setInt(2, advance.leaderEpoch());
                statement.setObject(3, session.timestamp());
                statement.setShort(4, consumer.id());
                statement.setString(5, CleanText.of(from.partition().source()));
                statement.setInt(6, from.partition().partition());
                statement.setLong(7, from.assignment());
                statement.setLong(8, from.position());
                if (statement.executeUpdate() == 0) {
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
        try (PreparedStatement statement = session.prepare(WatermarkStatement.ACQUIRE)) {
            statement.setLong(1, before.assignment() + 1);
            statement.setString(2, log);
            statement.setObject(3, session.timestamp());
            bind(statement, 4, consumer, partition);
            statement.executeUpdate();
        }
        return new Watermark(partition, log, before.assignment() + 1, before.position(), before.leaderEpoch());
    }

    private static void requireMode(PlainSession session, RegisteredConsumer consumer) throws SQLException {
        try (PreparedStatement statement = session.prepare(WatermarkStatement.DEDUPLICATION)) {
            statement.setShort(1, consumer.id());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                consumer.requireDeduplication(Deduplication.valueOf(row.getString(1)));
            }
        }
    }

    private static @Nullable Watermark lock(PlainSession session, RegisteredConsumer consumer, LogPartition partition)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(WatermarkStatement.LOCK)) {
            bind(statement, 1, consumer, partition);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? new Watermark(partition, row.getString(1), row.getLong(2), row.getLong(3), row.getInt(4))
                        : null;
            }
        }
    }

    /** Where somebody else was first, that one's row does. */
    private static void insert(PlainSession session, RegisteredConsumer consumer, LogPartition partition, String log)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(WatermarkStatement.INSERT)) {
            bind(statement, 1, consumer, partition);
            statement.setString(4, log);
            statement.setObject(5, session.timestamp());
            statement.executeUpdate();
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
        }
    }

    private static void bind(
            PreparedStatement statement, int first, RegisteredConsumer consumer, LogPartition partition)
            throws SQLException {
        statement.setShort(first, consumer.id());
        statement.setString(first + 1, CleanText.of(partition.source()));
        statement.setInt(first + 2, partition.partition());
    }
}
