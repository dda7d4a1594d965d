package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prolongs leases on a connection that is opened at the first use and kept. One that failed is replaced at the next use. */
final class PlainHeartbeat implements Heartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(PlainHeartbeat.class);

    private final ConnectionSource connections;
    private final Dialect dialect;
    private @Nullable Connection connection;

    PlainHeartbeat(ConnectionSource connections, Dialect dialect) {
        this.connections = connections;
        this.dialect = dialect;
    }

    @Override
    public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
        Connection open = connection;
        if (open == null) {
            open = Errand.open(connections);
            connection = open;
        }
        try {
            return PlainErrand.inTransaction(
                    open,
                    dialect,
                    Connection.TRANSACTION_READ_COMMITTED,
                    session -> PlainLeases.prolong(session, consumer, items, duration));
        } catch (SQLException e) {
            drop();
            throw Refusals.byItself(new PlainErrors(dialect), "to prolong " + items.size() + " leases", e);
        }
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
            try {
                open.close();
            } catch (SQLException e) {
                LOG.debug("a connection could not be given back: it is left to its pool to notice", e);
            }
        }
    }
}
