package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What is due. */
final class BacklogRows {
    private BacklogRows() {}

    static List<Backlog.Due> due(
            AdminSession session, Collection<RegisteredConsumer> consumers, Map<DueHints.Lane, DueHints.Hint> hints)
            throws SQLException {
        Map<Short, RegisteredConsumer> byId = new HashMap<>();
        consumers.forEach(consumer -> byId.put(consumer.id(), consumer));
        List<Map.Entry<DueHints.Lane, DueHints.Hint>> from = List.copyOf(hints.entrySet());
        try (Call call = session.call(PostgresWorkStatement.DUE)) {
            return call.numbers(
                            "hinted_consumers",
                            each(from, entry -> entry.getKey().consumer()))
                    .numbers("hinted_lanes", each(from, entry -> entry.getKey().number()))
                    .numbers(
                            "hinted_times", each(from, entry -> entry.getValue().dueAt()))
                    .numbers("consumers", byId.keySet())
                    .read(rows -> read(rows, byId));
        }
    }

    private static List<Backlog.Due> read(ResultSet rows, Map<Short, RegisteredConsumer> byId) throws SQLException {
        List<Backlog.Due> due = new ArrayList<>();
        while (rows.next()) {
            RegisteredConsumer consumer = byId.get(rows.getShort(1));
            if (consumer != null) {
                due.add(new Backlog.Due(
                        consumer,
                        Backlog.Kind.valueOf(rows.getString(2)),
                        rows.getInt(3),
                        WorkItems.microseconds(rows.getLong(4))));
            }
        }
        return due;
    }

    private static <T> List<Number> each(List<T> list, Function<T, Number> number) {
        return list.stream().map(number).toList();
    }
}
