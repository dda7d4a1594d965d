package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Transactions as frameworks have them: bound to a thread, with writes that are held back like changed entities, and with a connection
 * that goes back to its pool at the commit. Safe for use by many threads.
 */
final class ThreadBoundTransactions implements JdbcTransactions {
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
            actions.add(action);
        }

        @Override
        public void beforeRelease(Restoration what) {
            restoration = what;
        }

        @Override
        public void commit() throws SQLException {
            flush();
            connection.commit();
            release();
            actions.forEach(Runnable::run);
        }

        @Override
        public void rollback() throws SQLException {
            connection.rollback();
            release();
        }

        private void release() {
            ended = true;
            current.remove();
            try (connection) {
                Restoration what = restoration;
                if (what != null) {
                    what.run(autoCommit);
                }
                connection.setAutoCommit(autoCommit);
            } catch (SQLException e) {
                discard();
            }
        }

        @Override
        public void discard() {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                throw new AssertionError("the driver cannot abort a connection", e);
            }
        }

        @Override
        public void close() {
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
