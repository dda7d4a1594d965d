package io.pigeonhole.jdbc.outbox;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.jdbc.sql.HeaderFormat;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The columns of a message to send. */
final class OutboxColumns {
    private OutboxColumns() {}

    /** What {@link OutboxStatement#APPEND} has for its parameters, in their order. */
    static @Nullable Object[] values(Message message, int workPartition, UUID id) {
        return new @Nullable Object[] {
            message.source(),
            (short) workPartition,
            id.toString(),
            message.orderingKey(),
            message.type(),
            HeaderFormat.write(message.headers()),
            message.contentType(),
            message.isTombstone() ? null : message.payload()
        };
    }

    /** A row that makes no message, as one that a newer version has written, is one with a defect, so that others go on. */
    static AppendedMessage read(ResultSet row) throws SQLException {
        long position = row.getLong(1);
        String id = row.getString(3);
        Message.Builder message = Message.builder(row.getString(2))
                .id(MessageId.of(id.isBlank() ? "outbox-position-" + position : id))
                .payload(row.getBytes(8));
        byte[] headers = row.getBytes(6);
        try {
            return new AppendedMessage(
                    position,
                    message.type(row.getString(4))
                            .orderingKey(row.getBytes(5))
                            .headers(HeaderFormat.read(headers))
                            .contentType(row.getString(7))
                            .build());
        } catch (RuntimeException e) {
            return new AppendedMessage(
                    position,
                    message.headers(Headers.none().with(AppendedMessage.UNREADABLE_HEADERS, headers))
                            .defect("the row of the message cannot be read: " + FailureText.describe(e))
                            .build());
        }
    }
}
