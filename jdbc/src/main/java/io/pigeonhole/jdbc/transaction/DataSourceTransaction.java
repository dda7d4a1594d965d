package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.jdbc.OwnTransaction;
import io.pigeonhole.jdbc.sql.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A transaction on a connection of a pool. What cannot be put back is not given back alive. Used by one thread. */
final class DataSourceTransaction implements OwnTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(DataSourceTransaction.class);

    private final Connection connection;

    /** Whether the connection committed each statement by itself before. */
    private final boolean autoCommit;

    private final List<Runnable> actions = new ArrayList<>();
    private @Nullable Restoration restoration;
    private boolean committed;
    private boolean ended;
    private boolean discarded;
    private boolean closed;

    private DataSourceTransaction(Connection connection) throws SQLException {
        this.connection = connection;
        this.autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        if (autoCommit) {
            // What was begun in SQL; the driver sends nothing where nothing is open.
            connection.rollback();
        }
    }

    /** Takes the connection over. Where it takes no transaction it may be set for one by half, and so is not used again. */
    static DataSourceTransaction begin(Connection connection) throws SQLException {
        try {
            return new DataSourceTransaction(connection);
        } catch (Throwable e) {
            Connections.abort(connection);
            Connections.succeeds("closed", connection::close);
            throw e;
        }
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public void afterCommit(Runnable action) {
        if (ended || closed) {
            throw new IllegalStateException("the transaction has ended; nothing can be added to run after its commit");
        }
        actions.add(action);
    }

    @Override
    public void beforeRelease(Restoration what) {
        this.restoration = what;
    }

    @Override
    public void commit() throws SQLException {
        connection.commit();
        committed();
    }

    /** It was committed in SQL, together with other statements. */
    void committed() {
        committed = true;
        ended = true;
    }

    @Override
    public void rollback() throws SQLException {
        connection.rollback();
        ended = true;
    }

    @Override
    public void discard() {
        discarded = true;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        // To set auto-commit commits what was not rolled back.
        discarded |= !ended && !discarded && !Connections.succeeds("rolled back", this::rollback);
        if (discarded || !isPutBack()) {
            end();
        }
        Connections.succeeds("closed", connection::close);
        if (committed) {
            actions.forEach(DataSourceTransaction::run);
        }
    }

    /** Whoever gets it next must not find what a handler has set. */
    private boolean isPutBack() {
        return Connections.succeeds("restored", this::restore)
                && Connections.succeeds("reset", () -> connection.setAutoCommit(autoCommit));
    }

    private void restore() throws SQLException {
        Restoration what = restoration;
        if (what != null) {
            what.run(autoCommit);
        }
    }

    /**
     * The pool gets nothing back that can be used. A driver that knows no abort, as that of H2, leaves the connection as it
     * is, and a pool may hand out again and again what is closed below it: there it is put back.
     */
    private void end() {
        Connections.abort(connection);
        if (Connections.isAlive(connection) && Connections.rollback(connection)) {
            Connections.succeeds("restored", this::restore);
            Connections.succeeds("reset", () -> connection.setAutoCommit(autoCommit));
        }
    }

    private static void run(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            LOG.warn("what was to run after a commit has failed; the commit stands", e);
        }
    }
}
