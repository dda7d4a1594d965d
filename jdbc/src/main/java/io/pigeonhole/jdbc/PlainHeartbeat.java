package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Prolongs leases in the same way as {@link LeaseHeartbeat}. */
final class PlainHeartbeat implements Heartbeat {
    private final ConnectionSource connections;
    private final Dialect dialect;

    PlainHeartbeat(ConnectionSource connections, Dialect dialect) {
        this.connections = connections;
        this.dialect = dialect;
    }

    @Override
    public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
        try (Connection connection = Errand.open(connections)) {
            try {
                return NetworkLimit.within(
                        connection,
                        limited -> PlainErrand.inTransaction(
                                limited, dialect, session -> PlainLeases.prolong(session, consumer, items, duration)));
            } catch (Throwable e) {
                Errand.abort(connection);
                throw e;
            }
        } catch (SQLException e) {
            throw Refusals.byItself(new PlainErrors(dialect), "to prolong " + items.size() + " leases", e);
        }
    }

    /** Nothing is kept between two calls. */
    @Override
    public void close() {}
}
