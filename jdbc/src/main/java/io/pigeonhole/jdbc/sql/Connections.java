package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.NoConnectionException;
import io.pigeonhole.core.failure.PigeonholeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens connections, and gives up those that are not as they were. */
public final class Connections {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);
    private static final int LONGEST_CHECK_SECONDS = 5;

    /** The class of SQLSTATEs about the connection. */
    private static final String LOST = "08";

    private Connections() {}

    /**
     * What is done on a connection.
     *
     * @param <T> what it comes back with
     */
    @FunctionalInterface
    public interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /** Something to do that the database may refuse. */
    @FunctionalInterface
    public interface Step {
        void run() throws SQLException;
    }

    /** The same without an answer. */
    @FunctionalInterface
    public interface Action {
        void run(Connection connection) throws SQLException;
    }

    /**
     * A connection. Whatever its pool throws when there is none, the database is away: pools have exceptions of their own for
     * that, which are no {@link SQLException}.
     */
    public static Connection open(ConnectionSource connections) {
        try {
            return connections.open();
        } catch (PigeonholeException e) {
            throw e;
        } catch (SQLException | RuntimeException e) {
            String why = e instanceof SQLException ? FailureText.messageOf(e) : FailureText.describe(e);
            throw new NoConnectionException("there is no connection to the database: " + why, e);
        }
    }

    /** Whether it did. To set auto-commit commits what was not rolled back. */
    public static boolean rollback(Connection connection) {
        return succeeds("rolled back", connection::rollback);
    }

    /**
     * Its transaction ends with it, and it is not used again. It is the driver's own connection that is aborted, and its pool is shown so by
     * an error: some never take back what is aborted through them, and some look at errors only.
     */
    public static void abort(Connection connection) {
        Connection ofDriver = isClosed(connection) ? null : ofDriver(connection);
        if (ofDriver != null) {
            succeeds("aborted", () -> ofDriver.abort(Runnable::run));
        }
        if (ofDriver == null || isClosed(connection)) {
            succeeds("used", () -> execute(connection, List.of("SELECT 1")));
        }
    }

    /** As the driver knows it, who asks nobody. */
    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (Throwable e) {
            return false;
        }
    }

    /** Null where the driver refuses to say, because it is closed already: a pool may know only of itself whether it is. */
    private static @Nullable Connection ofDriver(Connection connection) {
        try {
            return connection.isWrapperFor(Connection.class) ? connection.unwrap(Connection.class) : connection;
        } catch (SQLException e) {
            String state = e.getSQLState();
            return state != null && state.startsWith(LOST) ? null : connection;
        } catch (Throwable e) {
            return connection;
        }
    }

    /**
     * Rolls back what the last user of a connection has begun, in SQL too, and lets it commit each statement by itself. The driver sends
     * nothing where nothing is open.
     */
    public static void beginAutoCommit(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.rollback();
        connection.setAutoCommit(true);
    }

    /** Whether it can be used. */
    public static boolean isAlive(Connection connection) {
        try {
            return connection.isValid(LONGEST_CHECK_SECONDS);
        } catch (Throwable e) {
            return false;
        }
    }

    /** Does something, and aborts the connection where that fails, whatever is thrown. */
    public static void doOrAbort(Connection connection, String what, Step step) {
        if (!succeeds(what, step)) {
            abort(connection);
        }
    }

    /** Does something, and says whether that succeeded, whatever is thrown. */
    public static boolean succeeds(String what, Step step) {
        try {
            step.run();
            return true;
        } catch (Throwable e) {
            log.debug("a connection could not be {}: it is given up", what, e);
            return false;
        }
    }

    /** Executes settings. */
    public static void execute(Connection connection, List<String> statements) throws SQLException {
        if (statements.isEmpty()) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
