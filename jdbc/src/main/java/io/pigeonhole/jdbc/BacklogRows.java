package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What is due. */
final class BacklogRows {
    private BacklogRows() {}

    static List<Backlog.Due> due(
            Connection connection, Collection<RegisteredConsumer> consumers, Map<DueHints.Lane, DueHints.Hint> hints)
            throws SQLException {
        Map<Short, RegisteredConsumer> byId = new HashMap<>();
        consumers.forEach(consumer -> byId.put(consumer.id(), consumer));
        String ids = byId.keySet().stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
        try (PreparedStatement statement = connection.prepareStatement(BacklogStatements.DUE)) {
            List<Map.Entry<DueHints.Lane, DueHints.Hint>> from = List.copyOf(hints.entrySet());
            statement.setString(1, array(from, entry -> entry.getKey().consumer()));
            statement.setString(2, array(from, entry -> entry.getKey().number()));
            statement.setString(3, array(from, entry -> entry.getValue().dueAt()));
            statement.setString(4, ids);
            statement.setString(5, ids);
            try (ResultSet rows = statement.executeQuery()) {
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
        }
    }

    private static <T> String array(List<T> list, Function<T, Object> element) {
        return list.stream().map(element).map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }
}
