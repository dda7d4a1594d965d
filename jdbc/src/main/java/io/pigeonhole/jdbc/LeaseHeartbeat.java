package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prolongs leases on a connection that is opened at the first use and kept. One that failed is replaced at the next use. */
final class LeaseHeartbeat implements Heartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseHeartbeat.class);

    /** A lease that is prolonged later than this is most likely lost. */
    private static final int SECONDS = 5;

    private final ConnectionSource connections;
    private @Nullable Connection connection;
    private boolean autoCommit;

    LeaseHeartbeat(ConnectionSource connections) {
        this.connections = connections;
    }

    @Override
    public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
        String doing = "to prolong " + items.size() + " leases";
        try {
            Connection open = connection();
            try (PreparedStatement statement = open.prepareStatement(WorkStatements.PROLONG)) {
                statement.setQueryTimeout(SECONDS);
                return LeaseRows.prolong(statement, consumer, items, duration);
            }
        } catch (SQLException e) {
            drop();
            throw Refusals.byItself(doing, e);
        }
    }

    /** Each statement commits by itself, read committed and in a writable transaction whatever the pool's default is. */
    private Connection connection() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = Errand.open(connections);
            connection = open;
            autoCommit = open.getAutoCommit();
            open.setAutoCommit(true);
            open.setReadOnly(false);
            open.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            open.setNetworkTimeout(Runnable::run, 2 * SECONDS * 1000);
        }
        return open;
    }

    /** A pool must not hand out again what may be lost. */
    private void drop() {
        Connection lost = connection;
        connection = null;
        if (lost != null) {
            try (lost) {
                lost.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("a connection could not be aborted: it is left to its pool to notice", e);
            }
        }
    }

    @Override
    public void close() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try (open) {
                open.setNetworkTimeout(Runnable::run, 0);
                open.setAutoCommit(autoCommit);
            } catch (SQLException e) {
                LOG.debug("a connection could not be given back: it is left to its pool to notice", e);
            }
        }
    }
}
