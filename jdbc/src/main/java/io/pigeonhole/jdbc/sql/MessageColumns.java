package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

/** The columns that hold a message or an attempt, the same in every table. */
public final class MessageColumns {
    private MessageColumns() {}

    /** Binds consumer, key, message, {@code workPartition} and {@code ordered}. */
    public static Call bindInWorkPartition(Call call, RegisteredConsumer consumer, MessageKey key, Message message)
            throws SQLException {
        return call.consumer(consumer)
                .key(key)
                .message(message, true)
                .number("work_partition", consumer.workPartitionOf(message, key))
                .flag("ordered", consumer.keepsOrderOf(message));
    }

    /** Binds from an index on. Returns the index of the next parameter. */
    public static int bind(
            PreparedStatement statement,
            int first,
            RegisteredConsumer consumer,
            MessageKey key,
            Message message,
            boolean withPayload)
            throws SQLException {
        statement.setShort(first, consumer.id());
        statement.setObject(first + 1, key.toUuid());
        MessageId id = message.id();
        statement.setString(first + 2, CleanText.of(message.source()));
        statement.setBytes(first + 3, id == null ? null : id.toBytes());
        statement.setString(first + 4, CleanText.ofNullable(message.type()));
        statement.setBytes(first + 5, message.orderingKey());
        statement.setBytes(first + 6, withPayload ? HeaderFormat.write(message.headers()) : null);
        statement.setString(first + 7, CleanText.ofNullable(message.contentType()));
        statement.setBytes(first + 8, withPayload && !message.isTombstone() ? message.payload() : null);
        statement.setString(first + 9, CleanText.ofNullable(message.origin()));
        return first + 10;
    }

    /**
     * Source, id, type, ordering key, headers, content type, payload and origin, from an index on. The history may have kept no
     * headers.
     */
    public static Message read(ResultSet row, int first) throws SQLException {
        byte[] id = row.getBytes(first + 1);
        byte[] headers = row.getBytes(first + 4);
        return Message.builder(row.getString(first))
                .id(id == null ? null : MessageId.of(id))
                .type(row.getString(first + 2))
                .orderingKey(row.getBytes(first + 3))
                .headers(headers == null ? Headers.none() : HeaderFormat.read(headers))
                .contentType(row.getString(first + 5))
                .payload(row.getBytes(first + 6))
                .origin(row.getString(first + 7))
                .build();
    }

    public static String describe(FailedAttempt attempt) {
        return CleanText.of(attempt.errorClass() + ": " + attempt.message());
    }

    /** What indexes find an ordering key by: the first 16 bytes of its SHA-256, because it may be too long for an index. */
    public static byte[] hash(OrderingKey key) {
        try {
            return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(key.bytes()), 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256; this one does not", e);
        }
    }
}
