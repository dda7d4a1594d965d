package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;

/**
 * Short transactions of the store's own, away from messages, each on a connection of its own: read committed and durable, whatever
 * the pool's default is. Where another transaction is in the way, one is repeated a few times. A connection is given back as it was;
 * where that fails, it is aborted. Safe for use by many threads.
 */
public final class ShortTransactions {
    /** How long a statement of theirs waits for a lock. */
    public static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

    private static final int MOST_ATTEMPTS = 5;

    private final ConnectionSource connections;
    private final Statements statements;
    private final Errors errors;
    private final Function<Connection, TransactionBoundary> boundaries;

    /**
     * Those of a database.
     *
     * @param connections to it
     * @param statements of it
     * @param errors what its errors mean
     * @param boundaries how one begins and ends on a connection
     */
    public ShortTransactions(
            ConnectionSource connections,
            Statements statements,
            Errors errors,
            Function<Connection, TransactionBoundary> boundaries) {
        this.connections = connections;
        this.statements = statements;
        this.errors = errors;
        this.boundaries = boundaries;
    }

    /**
     * What is done in one.
     *
     * @param <T> what it comes back with
     */
    @FunctionalInterface
    public interface Work<T> {
        T run(AdminSession session) throws SQLException;
    }

    /** Changes rows; committed afterwards. */
    public <T> T run(String doing, Work<T> work) {
        return repeat(MOST_ATTEMPTS, doing, connection -> runOn(connection, work));
    }

    /** The same within a {@link NetworkLimit}: for a caller who must not wait over a dead connection. */
    public <T> T runQuick(String doing, Work<T> work) {
        return repeat(MOST_ATTEMPTS, doing, connection -> runWithin(NetworkLimit.USUAL, connection, work));
    }

    /**
     * The same as {@link #runQuick} with one attempt only, where the next call comes soon anyway.
     *
     * @param longestAnswer how long each answer may take, if that is shorter than usual
     */
    public <T> T runOnce(String doing, Duration longestAnswer, Work<T> work) {
        Duration limit = longestAnswer.compareTo(NetworkLimit.USUAL) < 0 ? longestAnswer : NetworkLimit.USUAL;
        return repeat(1, doing, connection -> runWithin(limit, connection, work));
    }

    /** Looks at rows, all of them as they are at one moment. */
    public <T> T read(String doing, Work<T> work) {
        return repeat(MOST_ATTEMPTS, doing, connection -> runOn(connection, true, work));
    }

    private <T> T runWithin(Duration limit, Connection connection, Work<T> work) throws SQLException {
        return NetworkLimit.within(limit, connection, limited -> runOn(limited, work));
    }

    private <T> T repeat(int mostAttempts, String doing, Connections.Work<T> transaction) {
        int attempts = mostAttempts;
        while (true) {
            Connection connection = Connections.open(connections);
            try {
                return transaction.run(connection);
            } catch (SQLException e) {
                attempts--;
                // Its causes too: a driver may say of a batch only there what was in its way.
                if (attempts == 0 || errors.classify(e) != ErrorClass.RETRY_NOW) {
                    throw refused(doing, e);
                }
            } finally {
                giveBack(connection);
            }
        }
    }

    /** What was committed stays so, also where the pool complains about a connection that was aborted. */
    private static void giveBack(Connection connection) {
        Connections.succeeds("given back", connection::close);
    }

    /** Runs one on a connection that is somebody's already, and does not repeat it. */
    public <T> T runOn(Connection connection, Work<T> work) throws SQLException {
        return runOn(connection, false, work);
    }

    private <T> T runOn(Connection connection, boolean atOneMoment, Work<T> work) throws SQLException {
        boolean autoCommit = beginning(connection);
        TransactionBoundary boundary = boundaries.apply(connection);
        try {
            T result = work.run(boundary.begin(atOneMoment));
            boundary.beforeCommit();
            connection.commit();
            restore(connection, boundary, autoCommit);
            return result;
        } catch (Throwable e) {
            if (Connections.rollback(connection)) {
                restore(connection, boundary, autoCommit);
            } else {
                Connections.abort(connection);
            }
            throw e;
        }
    }

    /**
     * Answers whether it committed each statement by itself before. Where that cannot be found out or ended, it is not used
     * again.
     */
    private static boolean beginning(Connection connection) throws SQLException {
        try {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            if (autoCommit) {
                // What was begun in SQL; the driver sends nothing where nothing is open.
                connection.rollback();
            }
            return autoCommit;
        } catch (Throwable e) {
            Connections.abort(connection);
            throw e;
        }
    }

    /** What cannot be put back is not given back either. */
    private static void restore(Connection connection, TransactionBoundary boundary, boolean autoCommit) {
        Connections.doOrAbort(connection, "restored", () -> {
            boundary.end();
            connection.setAutoCommit(autoCommit);
        });
    }

    /**
     * Runs something on one connection that commits each statement by itself, and is then as it was before. Where it fails, the connection
     * is not used again: nobody knows what the session still has, a locked table for instance.
     */
    public void withAutoCommit(Connections.Action work) throws SQLException {
        Connection connection = Connections.open(connections);
        try {
            boolean autoCommit = connection.getAutoCommit();
            boolean readOnly = connection.isReadOnly();
            Connections.Step reset = () -> {
                connection.setReadOnly(readOnly);
                connection.setAutoCommit(autoCommit);
            };
            Connections.beginAutoCommit(connection);
            connection.setReadOnly(false);
            try {
                work.run(connection);
            } catch (Throwable e) {
                Connections.abort(connection);
                // A driver may not be able to.
                Connections.succeeds("reset", reset);
                throw e;
            }
            Connections.doOrAbort(connection, "reset", reset);
        } finally {
            giveBack(connection);
        }
    }

    /** Whether a statement waited in vain for another transaction. */
    public boolean isLockTimeout(SQLException failure) {
        return errors.isLockTimeout(failure);
    }

    /** What to throw where the database refused something outside of such a transaction. */
    public PigeonholeException refused(String doing, SQLException failure) {
        return Refusals.byItself(errors, doing, failure);
    }

    /** What the database's errors mean. */
    public Errors errors() {
        return errors;
    }

    public Statements statements() {
        return statements;
    }
}
