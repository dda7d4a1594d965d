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

/**
 * Prolongs leases, each time on a connection that is taken for this one statement and given back as it was. One that failed is
 * not given back alive.
 */
final class LeaseHeartbeat implements Heartbeat {
    /** A lease that is prolonged later than this is most likely lost. */
    private static final int SECONDS = 5;

    private final ConnectionSource connections;
    private final PostgresTexts texts;

    LeaseHeartbeat(ConnectionSource connections, PostgresTexts texts) {
        this.texts = texts;
        this.connections = connections;
    }

    @Override
    public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
        try (Connection connection = Errand.open(connections)) {
            try {
                return NetworkLimit.within(connection, limited -> prolong(limited, consumer, items, duration));
            } catch (Throwable e) {
                // A pool must not hand out again what may be lost.
                Errand.abort(connection);
                throw e;
            }
        } catch (SQLException e) {
            throw Refusals.byItself("to prolong " + items.size() + " leases", e);
        }
    }

    private Set<Long> prolong(
            Connection connection, RegisteredConsumer consumer, List<WorkItem> items, Duration duration)
            throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        Set<Long> prolonged;
        Sql.Text text = texts.of(PostgresWorkStatement.PROLONG);
        try (PreparedStatement begin = connection.prepareStatement(PostgresStatements.ERRAND);
                PreparedStatement statement = connection.prepareStatement(text.sql());
                Call call = Call.on(statement, text, new PostgresValues(connection))) {
            begin.execute();
            statement.setQueryTimeout(SECONDS);
            prolonged = LeaseRows.prolong(call, consumer, items, duration);
            connection.commit();
        }
        connection.setAutoCommit(autoCommit);
        return prolonged;
    }

    /** Nothing is kept between two calls. */
    @Override
    public void close() {}
}
