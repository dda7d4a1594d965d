package io.pigeonhole.jdbc;

import io.pigeonhole.core.handler.HandlerContext;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What a handler works with on a relational database: the connection whose transaction also claims the message, and
 * deferred writes. Everything written through either commits together with the claim, or not at all; a crash before the
 * commit leaves nothing of it. Meant for the thread that runs the handler, and valid only until the handler returns or throws:
 * later calls fail with {@link IllegalStateException}, on the connection and on whatever it gave out too.
 */
public interface JdbcContext extends HandlerContext {
    /**
     * The connection, in the middle of its transaction. Sends the deferred writes first, so that what is read through it is
     * up to date; writes deferred afterwards wait for the next flush. A savepoint that is set on it sends them too, and a
     * rollback to a savepoint takes along what was deferred since.
     *
     * <p>It refuses, with an {@link IllegalStateException} that says why, whatever would end or change the transaction:
     * commit, rollback (except to a savepoint of the handler's own), auto-commit, isolation, read-only, abort and unwrap, and
     * statements like {@code COMMIT}. A message whose rollback or abort is refused fails, also where the handler hides the
     * exception. Nothing that the connection gives out leads to the driver's own. A role, a search path or a timeout that is set
     * through it holds for this handler; see {@code docs/guarantees.md}.
     *
     * <p>To close it and to turn auto-commit off does nothing, so that jOOQ, JDBI, MyBatis, Hibernate and Spring's JdbcClient
     * work on it; see {@code docs/libraries.md}.
     *
     * @return the connection; the same one for all messages of one call of a handler
     * @throws io.pigeonhole.core.store.StoreException if a deferred write failed
     * @throws IllegalStateException if the handler has ended
     */
    Connection connection();

    /**
     * Executes a statement later, at the latest before the commit. Equal statements of many messages go to the database in
     * one batch, so write the statement the same way each time, with parameters. Writes of messages with the same ordering
     * key keep their order, and so do those of one message; all others may change places.
     *
     * @param sql an INSERT, UPDATE, DELETE or the like, with {@code ?} for each parameter
     * @param parameters what {@link java.sql.PreparedStatement#setObject(int, Object)} takes, nulls and
     *     {@link java.time.Instant} included; not to be changed afterwards
     * @throws IllegalStateException if the handler has ended, or the statement would end the transaction or change the session
     */
    void defer(String sql, @Nullable Object... parameters);

    /**
     * The same, and the message fails unless the statement changes so many rows. An UPDATE that finds nothing is no error
     * to a database: say 1 where there must be one.
     *
     * @param rows how many rows it must change, not negative
     * @param sql an INSERT, UPDATE, DELETE or the like, with {@code ?} for each parameter
     * @param parameters as for {@link #defer}
     * @throws IllegalStateException if the handler has ended, or the statement would end the transaction or change the session
     */
    void deferExpecting(int rows, String sql, @Nullable Object... parameters);
}
