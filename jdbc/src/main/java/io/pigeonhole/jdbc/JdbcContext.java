package io.pigeonhole.jdbc;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.outbox.Outbox;
import java.sql.Connection;

/**
 * What a handler works with on a relational database: the connection whose transaction also claims the message, and
 * deferred writes. Everything written through either commits together with the claim, or not at all; a crash before the
 * commit leaves nothing of it. Meant for the thread that runs the handler, and valid only until the handler returns or throws:
 * later calls fail with {@link IllegalStateException}, on the connection and on whatever it gave out too.
 */
public interface JdbcContext extends HandlerContext, JdbcWriter {
    /**
     * The connection, in the middle of its transaction. Sends the deferred writes first, so that what is read through it is
     * up to date; writes deferred afterwards wait for the next flush. A savepoint that is set on it sends them too, and a
     * rollback to a savepoint takes along what was deferred since.
     *
     * <p>It refuses, with an {@link IllegalStateException} that says why, whatever would end or change the transaction:
     * commit, rollback (except to a savepoint of the handler's own), auto-commit, isolation, read-only, abort and unwrap, and
     * statements like {@code COMMIT}. A message whose rollback or abort is refused fails, also where the handler hides the
     * exception. Nothing that the connection gives out leads to the driver's own. A role, a search path or a timeout that is set
     * through it holds for this handler; see {@code docs/session.md}.
     *
     * <p>To close it and to turn auto-commit off does nothing, so that jOOQ, JDBI, MyBatis, Hibernate and Spring's JdbcClient
     * work on it; see {@code docs/libraries.md}.
     *
     * @return the connection; the same one for all messages of one call of a handler
     * @throws io.pigeonhole.core.failure.StoreException if a deferred write failed
     * @throws IllegalStateException if the handler has ended
     */
    @Override
    Connection connection();

    @Override
    Outbox outbox();
}
