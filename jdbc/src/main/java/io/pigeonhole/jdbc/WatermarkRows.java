package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.ConsumerPausedException;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The rows of {@code inbox_watermark} on PostgreSQL. */
final class WatermarkRows {
    private WatermarkRows() {}

    /** Executes statements of which the one behind {@code skipped} others reads watermarks; binds from an index on. */
    static List<Watermark> find(
            PreparedStatement statement,
            int first,
            int skipped,
            RegisteredConsumer consumer,
            Collection<LogPartition> partitions)
            throws SQLException {
        statement.setString(first, texts(partitions, LogPartition::source));
        statement.setString(first + 1, numbers(partitions, LogPartition::partition));
        statement.setShort(first + 2, consumer.id());
        statement.execute();
        for (int i = 0; i < skipped; i++) {
            statement.getMoreResults();
        }
        try (ResultSet rows = statement.getResultSet()) {
            return read(rows, consumer);
        }
    }

    /** Rows of a consumer's state, each with one watermark or with none. */
    static List<Watermark> read(ResultSet rows, RegisteredConsumer consumer) throws SQLException {
        List<Watermark> watermarks = new ArrayList<>();
        while (rows.next()) {
            if (rows.getBoolean(1)) {
                throw new ConsumerPausedException(consumer.name());
            }
            String source = rows.getString(2);
            if (source != null) {
                watermarks.add(new Watermark(
                        new LogPartition(source, rows.getInt(3)),
                        rows.getString(4),
                        rows.getLong(5),
                        rows.getLong(6),
                        rows.getInt(7)));
            }
        }
        return watermarks;
    }

    /** Binds {@link WatermarkStatements#ADVANCE_AND_COMMIT} from an index on. */
    static void bind(PreparedStatement statement, int first, RegisteredConsumer consumer, List<Advance> advances)
            throws SQLException {
        statement.setString(
                first, texts(advances, advance -> advance.from().partition().source()));
        statement.setString(
                first + 1,
                numbers(advances, advance -> advance.from().partition().partition()));
        statement.setString(
                first + 2, numbers(advances, advance -> advance.from().assignment()));
        statement.setString(
                first + 3, numbers(advances, advance -> advance.from().position()));
        statement.setString(first + 4, numbers(advances, Advance::position));
        statement.setString(first + 5, numbers(advances, Advance::leaderEpoch));
        statement.setShort(first + 6, consumer.id());
        statement.setInt(first + 7, advances.size());
    }

    static Watermark acquire(Connection connection, RegisteredConsumer consumer, LogPartition partition, String log)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WatermarkStatements.ACQUIRE)) {
            statement.setString(1, CleanText.of(partition.source()));
            statement.setInt(2, partition.partition());
            statement.setString(3, log);
            statement.setShort(4, consumer.id());
            statement.setString(5, consumer.deduplication().name());
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    return new Watermark(partition, log, row.getLong(1), row.getLong(2), row.getInt(3));
                }
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(WatermarkStatements.WHY_NOT_ACQUIRED)) {
            statement.setString(1, CleanText.of(partition.source()));
            statement.setInt(2, partition.partition());
            statement.setShort(3, consumer.id());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                consumer.requireDeduplication(Deduplication.valueOf(row.getString(1)));
                throw consumer.otherLog(partition, Objects.requireNonNullElse(row.getString(2), "nothing"), log);
            }
        }
    }

    private static <T> String numbers(Collection<T> all, Function<T, Number> number) {
        return all.stream().map(number).map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }

    private static <T> String texts(Collection<T> all, Function<T, String> text) {
        return all.stream()
                .map(text)
                .map(CleanText::of)
                .map(each -> '"' + each.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }
}
