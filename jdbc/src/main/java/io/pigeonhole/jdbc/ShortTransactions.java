package io.pigeonhole.jdbc;

import java.sql.SQLException;

/**
 * Short transactions of the store's own, away from messages, each on a connection of its own. Where another transaction is in the
 * way, one is repeated a few times. Safe for use by many threads.
 */
interface ShortTransactions {
    /** Changes rows; committed afterwards. */
    <T> T run(String doing, Work<T> work);

    /** The same within a {@link NetworkLimit}: for a caller who must not wait over a dead connection. */
    <T> T runQuick(String doing, Work<T> work);

    /** Looks at rows, all of them as they are at one moment. */
    <T> T read(String doing, Work<T> work);

    /** Whether a statement waited in vain for another transaction. */
    boolean isLockTimeout(SQLException failure);

    /**
     * What is done in one.
     *
     * @param <T> what it comes back with
     */
    @FunctionalInterface
    interface Work<T> {
        T run(AdminSession session) throws SQLException;
    }
}
