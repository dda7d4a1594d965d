package io.pigeonhole.jdbc;

import java.sql.Connection;

/** A transaction under way, on one connection, that somebody else ends. Used by one thread. */
public interface JoinedTransaction {
    /**
     * The connection, in the middle of the transaction, with auto-commit off.
     *
     * @return the driver's or the pool's, the same one at every call
     */
    Connection connection();

    /**
     * Sends what the framework holds back, such as the changed entities of a persistence context. The store calls it behind each
     * handler that threw nothing, before it sets a savepoint, and before it reads or commits what handlers have written. Does nothing
     * unless overridden.
     *
     * @throws RuntimeException if the database refuses what is sent: a message fails then, as if its handler had thrown this
     */
    default void flush() {}

    /**
     * Clears what the framework remembers of rows and what it holds back. The store calls it after a rollback to a
     * savepoint, which a persistence context knows nothing of. Does nothing unless overridden.
     */
    default void clear() {}

    /**
     * Runs something after the commit, on the thread that committed: not after a rollback, and never where the process dies in
     * between. Actions run in the order in which they were added. What one throws is logged and changes nothing.
     *
     * @param action what to run; it may begin transactions of its own
     * @throws IllegalStateException if the transaction has ended
     */
    void afterCommit(Runnable action);
}
