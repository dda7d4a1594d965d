package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** The columns that hold a message or an attempt, the same in every table. */
final class MessageColumns {
    private MessageColumns() {}

    /**
     * Binds {@code consumer}, {@code key}, {@code source}, {@code message_id}, {@code type}, {@code ordering_key}, {@code headers},
     * {@code content_type}, {@code payload}, {@code origin}, {@code lane} and {@code ordered}.
     */
    static Call bindInLane(Call call, RegisteredConsumer consumer, MessageKey key, Message message)
            throws SQLException {
        MessageId id = message.id();
        return call.consumer(consumer)
                .key(key)
                .text("source", message.source())
                .bytes("message_id", id == null ? null : id.toBytes())
                .text("type", message.type())
                .bytes("ordering_key", message.orderingKey())
                .bytes("headers", HeaderFormat.write(message.headers()))
                .text("content_type", message.contentType())
                .bytes("payload", message.isTombstone() ? null : message.payload())
                .text("origin", message.origin())
                .number("lane", consumer.laneOf(message, key))
                .flag("ordered", consumer.keepsOrderOf(message));
    }

    /** Binds from an index on. Returns the index of the next parameter. */
    static int bind(
            PreparedStatement statement,
            int first,
            RegisteredConsumer consumer,
            MessageKey key,
            Message message,
            boolean withPayload)
            throws SQLException {
        statement.setShort(first, consumer.id());
        statement.setObject(first + 1, key.toUuid());
        return bind(statement, first + 2, message, withPayload);
    }

    /** The columns behind the key. Returns the index of the next parameter. */
    static int bind(PreparedStatement statement, int first, Message message, boolean withPayload) throws SQLException {
        MessageId id = message.id();
        statement.setString(first, CleanText.of(message.source()));
        statement.setBytes(first + 1, id == null ? null : id.toBytes());
        statement.setString(first + 2, CleanText.ofNullable(message.type()));
        statement.setBytes(first + 3, message.orderingKey());
        statement.setBytes(first + 4, withPayload ? HeaderFormat.write(message.headers()) : null);
        statement.setString(first + 5, CleanText.ofNullable(message.contentType()));
        statement.setBytes(first + 6, withPayload && !message.isTombstone() ? message.payload() : null);
        statement.setString(first + 7, CleanText.ofNullable(message.origin()));
        return first + 8;
    }

    /**
     * Source, id, type, ordering key, headers, content type, payload and origin, from an index on. The history may have kept no
     * headers.
     */
    static Message read(ResultSet row, int first) throws SQLException {
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

    /** Returns the index of the next parameter. */
    static int bindAttempt(PreparedStatement statement, int first, @Nullable FailedAttempt attempt)
            throws SQLException {
        if (attempt == null) {
            statement.setNull(first, Types.INTEGER);
            statement.setNull(first + 1, Types.VARCHAR);
            statement.setNull(first + 2, Types.BIGINT);
            statement.setNull(first + 3, Types.VARCHAR);
            statement.setNull(first + 4, Types.VARCHAR);
            statement.setNull(first + 5, Types.VARCHAR);
        } else {
            statement.setInt(first, attempt.number());
            statement.setString(first + 1, CleanText.of(attempt.node()));
            statement.setLong(first + 2, attempt.duration().toMillis());
            statement.setString(first + 3, CleanText.of(attempt.errorClass()));
            statement.setString(first + 4, CleanText.of(attempt.message()));
            statement.setString(first + 5, CleanText.of(attempt.stack()));
        }
        return first + 6;
    }

    static String describe(FailedAttempt attempt) {
        return CleanText.of(attempt.errorClass() + ": " + attempt.message());
    }
}
