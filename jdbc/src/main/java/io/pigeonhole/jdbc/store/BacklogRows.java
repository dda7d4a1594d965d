package io.pigeonhole.jdbc.store;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.RowReader;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is due. */
public final class BacklogRows {
    /** Where a row says when something is due, behind the consumer, the kind and the work partition. */
    public static final int WHEN = 4;

    private BacklogRows() {}

    public static Map<Short, RegisteredConsumer> byId(Collection<RegisteredConsumer> consumers) {
        Map<Short, RegisteredConsumer> byId = new HashMap<>();
        consumers.forEach(consumer -> byId.put(consumer.id(), consumer));
        return byId;
    }

    public static List<Backlog.Due> read(Call call, Map<Short, RegisteredConsumer> byId, RowReader<Duration> in)
            throws SQLException {
        return call.read(rows -> {
            List<Backlog.Due> due = new ArrayList<>();
            while (rows.next()) {
                RegisteredConsumer consumer = byId.get(rows.getShort(1));
                if (consumer != null) {
                    due.add(new Backlog.Due(
                            consumer, Backlog.Kind.valueOf(rows.getString(2)), rows.getInt(3), in.read(rows)));
                }
            }
            return due;
        });
    }
}
