package io.pigeonhole.jdbc;

import io.pigeonhole.jdbc.sql.Connections;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions as frameworks have them: bound to a thread, with writes that are held back like changed entities, and with a connection
 * that goes back to its pool at the commit. Safe for use by many threads.
 */
final class ThreadBoundTransactions implements JdbcTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadBoundTransactions.class);

    private final DataSource dataSource;
    // One for each data source, as frameworks have it.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable Bound> current = new ThreadLocal<>();

    ThreadBoundTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Bound begin() throws SQLException {
        if (current.get() != null) {
            throw new IllegalStateException("this thread is in a transaction already");
        }
        Bound bound = new Bound(dataSource.getConnection());
        current.set(bound);
        return bound;
    }

    @Override
    public Optional<JoinedTransaction> current() {
        return Optional.ofNullable(current.get());
    }

    /** The transaction of this thread, as code of the application uses it. */
    Bound bound() {
        Bound bound = current.get();
        if (bound == null) {
            throw new IllegalStateException("this thread is in no transaction");
        }
        return bound;
    }

    /** A transaction of one thread. */
    final class Bound implements OwnTransaction {
        private final Connection connection;
        private final boolean autoCommit;
        private final List<Held> held = new ArrayList<>();
        private final List<Runnable> actions = new ArrayList<>();
        private @Nullable Restoration restoration;
        private boolean ended;
        private boolean rollbackOnly;
        private @Nullable Runnable withinCommit;
        private @Nullable Runnable behindCommit;
        private boolean releasesInClose;
        private boolean committed;
        /** Whether it has committed, and may be bound still. */
        private boolean sent;

        private @Nullable RuntimeException failureBehindCommit;

        private Bound(Connection connection) throws SQLException {
            this.connection = connection;
            this.autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
        }

        /** A write that waits for the next flush. */
        private record Held(String sql, List<Object> parameters) {}

        void hold(String sql, Object... parameters) {
            held.add(new Held(sql, List.of(parameters)));
        }

        @Override
        public Connection connection() {
            return connection;
        }

        /** A commit rolls back. */
        void setRollbackOnly() {
            rollbackOnly = true;
        }

        /** What the framework does once it is told to commit, before it does. */
        void withinCommit(Runnable action) {
            withinCommit = action;
        }

        /** Gives the connection back only when it is closed. */
        void releaseInClose() {
            releasesInClose = true;
        }

        /** Runs behind a commit, while the connection is bound still. */
        void behindCommit(Runnable callback) {
            behindCommit = callback;
        }

        /** What the framework itself does behind a commit throws this. */
        void failBehindCommit(RuntimeException failure) {
            failureBehindCommit = failure;
        }

        @Override
        public void flush() {
            List<Held> all = List.copyOf(held);
            held.clear();
            for (Held each : all) {
                try (PreparedStatement statement = connection.prepareStatement(each.sql())) {
                    for (int i = 0; i < each.parameters().size(); i++) {
                        statement.setObject(i + 1, each.parameters().get(i));
                    }
                    statement.executeUpdate();
                } catch (SQLException e) {
                    throw new IllegalStateException("an entity could not be written", e);
                }
            }
        }

        @Override
        public void clear() {
            held.clear();
        }

        @Override
        public void afterCommit(Runnable action) {
            if (sent) {
                throw new IllegalStateException("the transaction is committed; nothing can be added to run after it");
            }
            actions.add(action);
        }

        @Override
        public void beforeRelease(Restoration what) {
            restoration = what;
        }

        @Override
        public void commit() throws SQLException {
            if (rollbackOnly) {
                rollback();
                throw new RolledBackException("it was marked for rollback only", null);
            }
            flush();
            Runnable callback = withinCommit;
            if (callback != null) {
                callback.run();
            }
            connection.commit();
            sent = true;
            Runnable behind = behindCommit;
            if (behind != null) {
                behind.run();
            }
            if (releasesInClose) {
                committed = true;
                return;
            }
            release();
            RuntimeException failure = failureBehindCommit;
            if (failure != null) {
                throw failure;
            }
            actions.forEach(Bound::run);
        }

        private static void run(Runnable action) {
            try {
                action.run();
            } catch (RuntimeException e) {
                LOG.warn("what was to run after a commit has failed", e);
            }
        }

        @Override
        public void rollback() throws SQLException {
            connection.rollback();
            release();
        }

        private void release() {
            ended = true;
            current.remove();
            try {
                Restoration what = restoration;
                if (what != null) {
                    what.run(autoCommit);
                }
                connection.setAutoCommit(autoCommit);
            } catch (SQLException e) {
                // Before it is closed: a pool would hand it out again.
                abort();
            }
            Connections.succeeds("closed", connection::close);
        }

        @Override
        public void discard() {
            if (ended) {
                return;
            }
            abort();
        }

        /** The driver's own, as a pool may never free the place of one that is aborted through it; then the pool sees that it is dead. */
        private void abort() {
            Connections.succeeds(
                    "aborted", () -> connection.unwrap(Connection.class).abort(Runnable::run));
            Connections.succeeds("used", () -> Connections.execute(connection, List.of("SELECT 1")));
        }

        @Override
        public void close() {
            if (committed && !ended) {
                release();
                actions.forEach(Bound::run);
            }
            if (ended) {
                return;
            }
            try {
                rollback();
            } catch (SQLException e) {
                release();
            }
        }
    }
}
