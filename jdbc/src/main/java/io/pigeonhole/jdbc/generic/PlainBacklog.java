package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.store.BacklogRows;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** What is due, on databases without arrays. */
final class PlainBacklog {
    private PlainBacklog() {}

    /** By {@link WorkStatement#DUE}, whose rows have instants. */
    static List<Backlog.Due> due(AdminSession session, Collection<RegisteredConsumer> consumers) throws SQLException {
        Map<Short, RegisteredConsumer> byId = BacklogRows.byId(consumers);
        try (Call call = session.call(WorkStatement.DUE, byId.size())) {
            return BacklogRows.read(call.numbers("consumers", byId.keySet()), byId, row -> {
                Duration in = Duration.between(session.now(), session.rows().instant(row, BacklogRows.WHEN));
                return in.isNegative() ? Duration.ZERO : in;
            });
        }
    }
}
