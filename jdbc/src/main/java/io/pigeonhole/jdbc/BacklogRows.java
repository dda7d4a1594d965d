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
import java.util.stream.Collectors;

/** What a node asks and notes before it begins with something. */
final class BacklogRows {
    private BacklogRows() {}

    static List<Backlog.Due> due(Connection connection, Collection<RegisteredConsumer> consumers) throws SQLException {
        Map<Short, RegisteredConsumer> byId = new HashMap<>();
        consumers.forEach(consumer -> byId.put(consumer.id(), consumer));
        String ids = byId.keySet().stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
        try (PreparedStatement statement = connection.prepareStatement(BacklogStatements.DUE)) {
            statement.setString(1, ids);
            statement.setString(2, ids);
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

    static int started(Connection connection, RegisteredConsumer consumer, String what, String position)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(BacklogStatements.STARTED)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, CleanText.of(what));
            statement.setString(3, CleanText.of(position));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
