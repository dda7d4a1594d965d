package io.pigeonhole.jdbc.outbox;

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

    static AppendedMessage read(ResultSet row) throws SQLException {
        return new AppendedMessage(
                row.getLong(1),
                Message.builder(row.getString(2))
                        .id(MessageId.of(row.getString(3)))
                        .type(row.getString(4))
                        .orderingKey(row.getBytes(5))
                        .headers(HeaderFormat.read(row.getBytes(6)))
                        .contentType(row.getString(7))
                        .payload(row.getBytes(8))
                        .build());
    }
}
