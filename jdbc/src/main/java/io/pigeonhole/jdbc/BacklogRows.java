package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What is due. */
final class BacklogRows {
    /** Where a row says when something is due, behind the consumer, the kind and the lane. */
    private static final int WHEN = 4;

    private BacklogRows() {}

    /** By {@link WorkStatement#DUE}, whose rows have instants. */
    static List<Backlog.Due> due(AdminSession session, Collection<RegisteredConsumer> consumers) throws SQLException {
        Map<Short, RegisteredConsumer> byId = byId(consumers);
        try (Call call = session.call(WorkStatement.DUE, byId.size())) {
            return read(call.numbers("consumers", byId.keySet()), byId, row -> {
                Duration in = Duration.between(session.now(), session.rows().instant(row, WHEN));
                return in.isNegative() ? Duration.ZERO : in;
            });
        }
    }

    /**
     * By {@link PostgresWorkStatement#DUE}, whose rows say how long something takes to be due.
     *
     * @param hints where to begin
     */
    static List<Backlog.Due> due(
            AdminSession session, Collection<RegisteredConsumer> consumers, Map<DueHints.Lane, DueHints.Hint> hints)
            throws SQLException {
        Map<Short, RegisteredConsumer> byId = byId(consumers);
        List<Map.Entry<DueHints.Lane, DueHints.Hint>> from = List.copyOf(hints.entrySet());
        try (Call call = session.call(PostgresWorkStatement.DUE)) {
            call.numbers("hinted_consumers", each(from, entry -> entry.getKey().consumer()))
                    .numbers("hinted_lanes", each(from, entry -> entry.getKey().number()))
                    .numbers(
                            "hinted_times", each(from, entry -> entry.getValue().dueAt()))
                    .numbers("consumers", byId.keySet());
            return read(call, byId, row -> WorkItems.microseconds(row.getLong(WHEN)));
        }
    }

    private static Map<Short, RegisteredConsumer> byId(Collection<RegisteredConsumer> consumers) {
        Map<Short, RegisteredConsumer> byId = new HashMap<>();
        consumers.forEach(consumer -> byId.put(consumer.id(), consumer));
        return byId;
    }

    private static List<Backlog.Due> read(Call call, Map<Short, RegisteredConsumer> byId, RowReader<Duration> in)
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

    private static <T> List<Number> each(List<T> list, Function<T, Number> number) {
        return list.stream().map(number).toList();
    }
}
