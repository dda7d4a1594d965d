package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.jdbc.JdbcWriter;
import io.pigeonhole.jdbc.outbox.AppendStep;
import io.pigeonhole.jdbc.outbox.AppendWriter;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a handler writes, for one call of it. */
class HandlerWriter implements JdbcWriter, AppendWriter {
    private final HandlerCall call;
    private final MessageKey key;
    private final Object scope;

    /**
     * A writer.
     *
     * @param key the message whose writes these are
     * @param scope within which they keep their order
     */
    HandlerWriter(HandlerCall call, MessageKey key, Object scope) {
        this.call = call;
        this.key = key;
        this.scope = scope;
    }

    @Override
    public Connection connection() {
        call.enter();
        try {
            return call.transaction().connectionForHandlers(call);
        } finally {
            call.leave();
        }
    }

    @Override
    public void defer(String sql, @Nullable Object... parameters) {
        defer(DeferredWrite.ANY, sql, parameters);
    }

    @Override
    public void deferExpecting(int rows, String sql, @Nullable Object... parameters) {
        if (rows < 0) {
            throw new IllegalArgumentException("a statement cannot change " + rows + " rows");
        }
        defer(rows, sql, parameters);
    }

    @Override
    public void write(AppendStep step, int rows, String sql, @Nullable Object... parameters) {
        defer(step, rows, sql, parameters);
    }

    @Override
    public Outbox outbox() {
        return call.transaction().outbox(this, handled());
    }

    /** The message whose handler writes, where that is known. */
    @Nullable
    protected Message handled() {
        return null;
    }

    private void defer(int rows, String sql, @Nullable Object[] parameters) {
        defer(scope, rows, sql, parameters);
    }

    private void defer(Object within, int rows, String sql, @Nullable Object[] parameters) {
        call.enter();
        try {
            call.transaction().defer(new DeferredWrite(key, within, sql, kept(parameters), rows));
        } catch (IllegalStateException e) {
            // Who hides it takes for rolled back what would be committed.
            if (call.transaction().control().mayRollBack(sql)) {
                call.refusedRollback(e);
            }
            throw e;
        } finally {
            call.leave();
        }
    }

    /** What the handler's connection gave out ends with the handler, but the driver's own object does not. */
    private List<@Nullable Object> kept(@Nullable Object[] parameters) {
        @Nullable Object[] own = parameters.clone();
        for (int i = 0; i < own.length; i++) {
            own[i] = GuardedConnection.unguarded(own[i], call);
            if (own[i] instanceof GuardedStreams.In || own[i] instanceof GuardedStreams.Text) {
                throw new IllegalStateException("a handler may not defer a stream that its connection gave out: it is"
                        + " read when the handler has ended. Read it before, and defer its bytes or its text");
            }
        }
        return Arrays.asList(own);
    }
}
