package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.PigeonholeException;
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
        return run(connections, PostgresStatements.ERRAND, doing, errand);
    }

    /** The same with other settings to begin with. */
    static <T> T run(ConnectionSource connections, String begin, String doing, Errand<T> errand) {
        return repeat(connections, doing, connection -> inTransaction(connection, begin, errand));
    }

    /** The same as the first, within a {@link NetworkLimit}: for a caller who must not wait over a dead connection. */
    static <T> T runQuick(ConnectionSource connections, String doing, Errand<T> errand) {
        return repeat(
                connections,
                doing,
                connection -> NetworkLimit.within(
                        connection, limited -> inTransaction(limited, PostgresStatements.ERRAND, errand)));
    }

    private static <T> T repeat(ConnectionSource connections, String doing, Errand<T> transaction) {
        int attempts = 5;
        while (true) {
            try (Connection connection = open(connections)) {
                return transaction.run(connection);
            } catch (SQLException e) {
                attempts--;
                if (attempts == 0 || !SqlStates.isTransient(e)) {
                    throw Refusals.byItself(doing, e);
                }
            }
        }
    }

    private static <T> T inTransaction(Connection connection, String begin, Errand<T> errand) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            try (Statement statement = connection.createStatement()) {
                statement.execute(begin + searchPath(connection));
            }
            T result = errand.run(connection);
            connection.commit();
            reset(connection, autoCommit);
            return result;
        } catch (Throwable e) {
            if (rollback(connection)) {
                reset(connection, autoCommit);
            } else {
                abort(connection);
            }
            throw e;
        }
    }

    /** What asks the catalog finds the store's own tables first, and what creates days does so beside them. */
    private static String searchPath(Connection connection) {
        StoreSchema schema = StoreSchema.of(connection);
        return schema == null ? "" : ";\n" + schema.searchPath();
    }

    /**
     * A connection. Whatever its pool throws when there is none, the database is away: pools have exceptions of their own for
     * that, which are no {@link SQLException}.
     */
    static Connection open(ConnectionSource connections) {
        try {
            return connections.open();
        } catch (PigeonholeException e) {
            throw e;
        } catch (SQLException | RuntimeException e) {
            String why = e instanceof SQLException ? FailureText.messageOf(e) : FailureText.describe(e);
            throw new StoreUnavailableException("there is no connection to the database: " + why, e);
        }
    }

    /** Whether it did. To set auto-commit commits what was not rolled back. */
    static boolean rollback(Connection connection) {
        try {
            connection.rollback();
            return true;
        } catch (Throwable e) {
            log().debug("a connection could not be rolled back: it is given up", e);
            return false;
        }
    }

    /** Its transaction ends with it, and it is not used again. */
    static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (Throwable e) {
            log().debug("a connection could not be aborted: it is left to its pool to notice", e);
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
