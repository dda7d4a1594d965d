package io.pigeonhole.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * How long the answer to a statement of a short transaction of the store's own may take. A connection that a firewall has dropped
 * answers nothing and is not closed: without a limit whoever asks over it waits as long as the operating system does. Where a driver
 * has no such limit, there is none.
 */
public final class NetworkLimit {
    /** More than such a transaction waits for others, which is {@link ShortTransactions#LOCK_TIMEOUT} for each lock. */
    public static final Duration USUAL = Duration.ofSeconds(10);

    private NetworkLimit() {}

    /** Does something over a connection, which has its own limit again afterwards; one that is shorter stays. */
    public static <T> T within(Duration limit, Connection connection, Connections.Work<T> work) throws SQLException {
        OptionalInt own = set(connection, (int) Math.max(1, limit.toMillis()));
        if (own.isEmpty()) {
            return work.run(connection);
        }
        try {
            return work.run(connection);
        } finally {
            restore(connection, own.getAsInt());
        }
    }

    /** What the connection had before; empty where nothing was set. */
    private static OptionalInt set(Connection connection, int millis) throws SQLException {
        try {
            int own = connection.getNetworkTimeout();
            if (own > 0 && own <= millis) {
                return OptionalInt.empty();
            }
            connection.setNetworkTimeout(Runnable::run, millis);
            return OptionalInt.of(own);
        } catch (SQLFeatureNotSupportedException e) {
            return OptionalInt.empty();
        }
    }

    /** A pool must not hand out a connection that is given up sooner than it was. */
    private static void restore(Connection connection, int own) {
        try {
            connection.setNetworkTimeout(Runnable::run, own);
        } catch (SQLException e) {
            Connections.abort(connection);
        }
    }
}
