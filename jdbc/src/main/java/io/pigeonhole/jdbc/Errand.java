package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that the store does by itself, away from messages: one short transaction on a connection of its own, read
 * committed and durable whatever the pool's default is.
 *
 * @param <T> what it comes back with
 */
@FunctionalInterface
interface Errand<T> {
    /** Does it; committed afterwards. */
    T run(Connection connection) throws SQLException;

    /** Runs an errand, and once more, at most a few times, where another transaction was in its way. */
    static <T> T run(ConnectionSource connections, String doing, Errand<T> errand) {
        int attempts = 5;
        while (true) {
            try {
                return runOnce(connections, errand);
            } catch (SQLException e) {
                attempts--;
                if (attempts == 0 || !SqlStates.isTransient(e)) {
                    throw Refusals.byItself(doing, e);
                }
            }
        }
    }

    private static <T> T runOnce(ConnectionSource connections, Errand<T> errand) throws SQLException {
        try (Connection connection = open(connections)) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(PostgresStatements.ERRAND);
                }
                T result = errand.run(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException e) {
                rollback(connection);
                throw e;
            } finally {
                reset(connection, autoCommit);
            }
        }
    }

    /** A connection, whatever its pool says about why there is none. */
    static Connection open(ConnectionSource connections) {
        try {
            return connections.open();
        } catch (SQLException e) {
            throw new StoreUnavailableException("there is no connection to the database: " + e.getMessage(), e);
        }
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            log().debug("a connection could not be rolled back: it is left to its pool to notice", e);
        }
    }

    private static void reset(Connection connection, boolean autoCommit) {
        try {
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            log().debug("a connection could not be reset: it is left to its pool to notice", e);
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(Errand.class);
    }
}
