package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The columns of keys, instants and messages where the database has no type of its own for them. */
final class PlainColumns {
    /** How many columns {@link #item} reads. */
    static final int OF_ITEM = 15;

    private static final int FIRST_OF_MESSAGE = 8;
    private static final int HASH_BYTES = 16;

    private PlainColumns() {}

    /** Consumer, key and message. Returns the index of the next parameter. */
    static int bind(
            PreparedStatement statement,
            int first,
            RegisteredConsumer consumer,
            MessageKey key,
            Message message,
            boolean withPayload)
            throws SQLException {
        statement.setShort(first, consumer.id());
        statement.setBytes(first + 1, key.toBytes());
        return MessageColumns.bind(statement, first + 2, message, withPayload);
    }

    /** The same with lane, ordered and the hash of the ordering key behind it. Returns the index of the next parameter. */
    static int bindInLane(
            PreparedStatement statement, int first, RegisteredConsumer consumer, MessageKey key, Message message)
            throws SQLException {
        int next = bind(statement, first, consumer, key, message, true);
        OrderingKey orderingKey = consumer.keepsOrderOf(message) ? OrderingKey.of(message) : null;
        statement.setInt(next++, consumer.laneOf(message, key));
        statement.setBoolean(next++, orderingKey != null);
        statement.setBytes(next++, orderingKey == null ? null : hash(orderingKey));
        return next;
    }

    /** What indexes find an ordering key by: the first 16 bytes of its SHA-256, because it may be too long for an index. */
    static byte[] hash(OrderingKey key) {
        try {
            return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(key.bytes()), HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256; this one does not", e);
        }
    }

    /** An instant, or nothing. */
    static void bindInstant(PreparedStatement statement, int index, @Nullable Instant instant) throws SQLException {
        statement.setObject(index, instant == null ? null : PlainSession.timestamp(instant));
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
