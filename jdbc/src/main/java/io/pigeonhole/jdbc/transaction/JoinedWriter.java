package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.jdbc.JdbcWriter;
import io.pigeonhole.jdbc.JoinedTransaction;
import io.pigeonhole.jdbc.sql.Errors;
import java.sql.Connection;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes into a transaction that somebody else commits: at once, because nobody says when that will be. Used by one thread. */
public record JoinedWriter(JoinedTransaction transaction, Errors errors) implements JdbcWriter {
    /** There is no message whose write this is. */
    private static final MessageKey NOBODYS = MessageKey.of(new UUID(0, 0));

    @Override
    public Connection connection() {
        transaction.flush();
        return transaction.connection();
    }

    @Override
    public void defer(String sql, @Nullable Object... parameters) {
        execute(DeferredWrite.ANY, sql, parameters);
    }

    @Override
    public void deferExpecting(int rows, String sql, @Nullable Object... parameters) {
        if (rows < 0) {
            throw new IllegalArgumentException("a statement cannot change " + rows + " rows");
        }
        execute(rows, sql, parameters);
    }

    private void execute(int rows, String sql, @Nullable Object[] parameters) {
        DeferredWrites writes = new DeferredWrites(errors);
        writes.add(new DeferredWrite(NOBODYS, NOBODYS, sql, Arrays.asList(parameters), rows));
        try {
            writes.flush(connection());
        } catch (DeferredWriteException e) {
            throw new StoreException(e.errorClass(), String.valueOf(e.getMessage()), e.getCause());
        }
    }
}
