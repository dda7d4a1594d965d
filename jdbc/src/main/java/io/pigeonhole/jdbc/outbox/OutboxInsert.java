package io.pigeonhole.jdbc.outbox;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.jdbc.sql.MessageColumns;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.sql.StoreSchema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How the row of a message is inserted.
 *
 * @param sql the insert
 * @param lock what waits for others that append to the same key, in a statement before it; null where nothing does, or the insert itself
 * @param inOrder the insert that waits by itself, for a lock of the number that is its last parameter; null where none does
 */
record OutboxInsert(
        String sql, @Nullable String lock, @Nullable String inOrder) {
    private static final int BUCKETS = 1024;

    /** However many rows are changed. */
    private static final int ANY = -1;

    static OutboxInsert of(Statements statements, @Nullable StoreSchema schema) {
        return new OutboxInsert(text(statements, schema, OutboxStatement.APPEND), null, null);
    }

    static OutboxInsert inOrder(Statements statements, @Nullable StoreSchema schema) {
        boolean waitsByItself =
                statements.get(OutboxStatement.APPEND_IN_ORDER).parameters().contains("lock");
        return new OutboxInsert(
                text(statements, schema, OutboxStatement.APPEND),
                waitsByItself ? null : text(statements, schema, OutboxStatement.LOCK_ORDER),
                waitsByItself ? text(statements, schema, OutboxStatement.APPEND_IN_ORDER) : null);
    }

    private static String text(Statements statements, @Nullable StoreSchema schema, OutboxStatement statement) {
        String text = statements.sql(statement);
        return schema == null ? text : schema.qualify(text);
    }

    void write(AppendWriter writer, Message message, int workPartition, UUID id) {
        @Nullable Object[] values = OutboxColumns.values(message, workPartition, id);
        OrderingKey key = OrderingKey.of(message);
        if (key != null && inOrder != null) {
            @Nullable Object[] withLock = Arrays.copyOf(values, values.length + 1);
            withLock[values.length] = hash(message.source(), key);
            writer.write(AppendStep.INSERT, 1, inOrder, withLock);
            return;
        }
        if (key != null && lock != null) {
            writer.write(AppendStep.LOCK, ANY, lock, Math.floorMod(hash(message.source(), key), BUCKETS));
        }
        writer.write(AppendStep.INSERT, 1, sql, values);
    }

    /** Another one for each key of each destination, as good as always. */
    private static long hash(String destination, OrderingKey key) {
        byte[] name = destination.getBytes(StandardCharsets.UTF_8);
        byte[] both = ByteBuffer.allocate(4 + name.length + key.bytes().length)
                .putInt(name.length)
                .put(name)
                .put(key.bytes())
                .array();
        return ByteBuffer.wrap(MessageColumns.hash(OrderingKey.of(both))).getLong();
    }
}
