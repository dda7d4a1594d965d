package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.jdbc.JdbcWriter;
import io.pigeonhole.jdbc.JoinedTransaction;
import io.pigeonhole.jdbc.outbox.AppendStep;
import io.pigeonhole.jdbc.outbox.AppendWriter;
import io.pigeonhole.jdbc.outbox.Appends;
import io.pigeonhole.jdbc.sql.Connections;
import io.pigeonhole.jdbc.sql.Errors;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes into a transaction that somebody else commits: at once, because nobody says when that will be. Used by one thread. */
public final class JoinedWriter implements JdbcWriter, AppendWriter {
    /** There is no message whose write this is. */
    private static final MessageKey NOBODYS = MessageKey.of(new UUID(0, 0));

    private final JoinedTransaction transaction;
    private final Errors errors;
    private final Appends.InTransaction appends;
    /** What is to be sent together; null where each write is sent by itself. */
    private @Nullable DeferredWrites collected;

    private int count;

    private JoinedWriter(JoinedTransaction transaction, Errors errors, Appends appends) {
        this.transaction = transaction;
        this.errors = errors;
        this.appends = appends.in(transaction::afterCommit);
    }

    /** Joins a transaction of this thread. In that of a handler it is as if the handler wrote by its context. */
    public static JdbcWriter of(JoinedTransaction transaction, Errors errors, Appends appends) {
        HandlerCall given = GuardedConnection.callOf(transaction.connection());
        HandlerCall call = given == null ? HandlerTransaction.callOn(transaction.connection()) : given;
        return call == null
                ? new JoinedWriter(transaction, errors, appends)
                : new HandlerWriter(call, NOBODYS, NOBODYS);
    }

    @Override
    public Connection connection() {
        transaction.flush();
        return transaction.connection();
    }

    @Override
    public void defer(String sql, @Nullable Object... parameters) {
        execute(NOBODYS, DeferredWrite.ANY, sql, parameters);
    }

    @Override
    public void deferExpecting(int rows, String sql, @Nullable Object... parameters) {
        if (rows < 0) {
            throw new IllegalArgumentException("a statement cannot change " + rows + " rows");
        }
        execute(NOBODYS, rows, sql, parameters);
    }

    @Override
    public void write(AppendStep step, int rows, String sql, @Nullable Object... parameters) {
        execute(step, rows, sql, parameters);
    }

    @Override
    public Outbox outbox() {
        Outbox each = appends.outbox(this, null);
        return new Outbox() {
            @Override
            public UUID append(OutboxMessage message) {
                return each.append(message);
            }

            @Override
            public List<UUID> appendAll(List<OutboxMessage> messages) {
                DeferredWrites together = new DeferredWrites(errors);
                collected = together;
                try {
                    List<UUID> ids = Outbox.super.appendAll(messages);
                    send(together);
                    return ids;
                } finally {
                    collected = null;
                }
            }
        };
    }

    private void execute(Object scope, int rows, String sql, @Nullable Object[] parameters) {
        DeferredWrites together = collected;
        if (together != null) {
            // With a key of its own each, as writes of one message are not sent in one batch where rows are counted.
            MessageKey key = MessageKey.of(new UUID(0, ++count));
            together.add(new DeferredWrite(key, scope, sql, Arrays.asList(parameters), rows));
            return;
        }
        DeferredWrites writes = new DeferredWrites(errors);
        writes.add(new DeferredWrite(NOBODYS, NOBODYS, sql, Arrays.asList(parameters), rows));
        send(writes);
    }

    private void send(DeferredWrites writes) {
        try {
            writes.flush(connection());
        } catch (DeferredWriteException e) {
            throw new StoreException(e.errorClass(), String.valueOf(e.getMessage()), e.getCause());
        } finally {
            if (writes.isHalfSent()) {
                // Nothing else can be sent on it, not even a commit.
                Connections.abort(transaction.connection());
            }
        }
    }
}
