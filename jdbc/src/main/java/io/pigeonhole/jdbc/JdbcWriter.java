package io.pigeonhole.jdbc;

import io.pigeonhole.core.outbox.Outbox;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Where code writes that takes part in a transaction and neither begins nor ends it: the context of a handler, or
 * {@link JdbcStore#join} elsewhere. A crash before the commit leaves nothing of what was written. Meant for one thread.
 */
public interface JdbcWriter {
    /**
     * The connection, in the middle of its transaction.
     *
     * @return the same one at every call
     */
    Connection connection();

    /**
     * Executes a statement later, at the latest before the commit; in a transaction that somebody else commits, at once. Equal statements of many messages go to the database in
     * one batch, so write the statement the same way each time, with parameters. Writes of messages with the same ordering
     * key keep their order, and so do those of one message; all others may change places.
     *
     * @param sql an INSERT, UPDATE, DELETE or the like, with {@code ?} for each parameter
     * @param parameters what {@link java.sql.PreparedStatement#setObject(int, Object)} takes, nulls and
     *     {@link java.time.Instant} included; not to be changed afterwards. An {@link java.io.InputStream} or {@link java.io.Reader} is read
     *     into memory and closed when its statement is sent, which is one of its own; it is to be opened where it is deferred, as one that
     *     was read is refused. Nobody closes one whose statement is not sent
     * @throws IllegalStateException if the handler has ended, or in a handler if the statement would end the
     *     transaction or change the session; elsewhere the transaction is the caller's own, and is not guarded
     * @throws io.pigeonhole.core.failure.StoreException if it is executed at once and fails
     */
    void defer(String sql, @Nullable Object... parameters);

    /**
     * The same, and the message fails unless the statement changes so many rows. An UPDATE that finds nothing is no error
     * to a database: say 1 where there must be one.
     *
     * @param rows how many rows it must change, not negative
     * @param sql an INSERT, UPDATE, DELETE or the like, with {@code ?} for each parameter
     * @param parameters as for {@link #defer}
     * @throws IllegalStateException if the handler has ended, or in a handler if the statement would end the
     *     transaction or change the session; elsewhere the transaction is the caller's own, and is not guarded
     * @throws io.pigeonhole.core.failure.StoreException if it is executed at once, and fails or changes another number of rows
     */
    void deferExpecting(int rows, String sql, @Nullable Object... parameters);

    /**
     * Where messages to send are appended in this transaction, to be published after its commit.
     *
     * @return an outbox that is valid for as long as this is; for the same thread. To append throws {@link IllegalStateException} where
     *     the transaction has ended, such as in a callback after its commit
     */
    Outbox outbox();
}
