package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageColumns;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The columns of keys, instants and messages where the database has no type of its own for them. */
final class PlainColumns {
    /** How many columns {@link #item} reads. */
    static final int OF_ITEM = 15;

    private static final int FIRST_OF_MESSAGE = 8;

    private PlainColumns() {}

    /** The same as {@link MessageColumns#bindInWorkPartition}, and the hash of the ordering key. */
    static Call bindInWorkPartition(Call call, RegisteredConsumer consumer, MessageKey key, Message message)
            throws SQLException {
        OrderingKey orderingKey = consumer.keepsOrderOf(message) ? OrderingKey.of(message) : null;
        return MessageColumns.bindInWorkPartition(call, consumer, key, message)
                .bytes("ordering_hash", orderingKey == null ? null : MessageColumns.hash(orderingKey));
    }

    /** An instant, or nothing. */
    static void bindInstant(PreparedStatement statement, int index, @Nullable Instant instant) throws SQLException {
        statement.setObject(index, instant == null ? null : timestamp(instant));
    }

    private static LocalDateTime timestamp(Instant instant) {
        return LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }

    static Instant instant(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(instantOrNull(row, column));
    }

    static @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
        LocalDateTime time = row.getObject(column, LocalDateTime.class);
        return time == null ? null : time.toInstant(ZoneOffset.UTC);
    }

    static MessageKey key(ResultSet row, int column) throws SQLException {
        return MessageKey.of(row.getBytes(column));
    }

    /** Id, key, attempts, retried, retried since, by lease, token and the message. */
    static WorkItem item(ResultSet row, Instant now) throws SQLException {
        return new WorkItem(
                row.getLong(1),
                key(row, 2),
                MessageColumns.read(row, FIRST_OF_MESSAGE),
                row.getInt(3),
                row.getInt(4),
                Duration.between(instant(row, 5), now),
                row.getBoolean(6),
                row.getLong(7));
    }
}
