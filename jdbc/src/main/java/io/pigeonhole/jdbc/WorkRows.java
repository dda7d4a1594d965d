package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The rows of {@code inbox_work} as they come, change and go. */
final class WorkRows {
    private WorkRows() {}

    static void park(Connection connection, RegisteredConsumer consumer, List<ParkedMessage> messages)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WorkStatements.PARK)) {
            for (ParkedMessage parked : messages) {
                FailedAttempt attempt = parked.attempt();
                int next = MessageColumns.bindInLane(statement, 1, consumer, parked.key(), parked.message());
                statement.setInt(next++, attempt.number());
                statement.setLong(next++, parked.dueIn().toMillis());
                statement.setString(next++, MessageColumns.describe(attempt));
                MessageColumns.bindAttempt(statement, next, attempt);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    static void receive(Connection connection, RegisteredConsumer consumer, List<ReceivedMessage> messages)
            throws SQLException {
        int done = 0;
        for (WorkStatements.ForMany insert : WorkStatements.RECEIVE) {
            int end = messages.size() - (messages.size() - done) % insert.messages();
            if (end > done) {
                receive(connection, insert, consumer, messages.subList(done, end));
                done = end;
            }
        }
    }

    private static void receive(
            Connection connection,
            WorkStatements.ForMany insert,
            RegisteredConsumer consumer,
            List<ReceivedMessage> messages)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert.sql())) {
            int next = 1;
            for (int i = 0; i < messages.size(); i++) {
                ReceivedMessage received = messages.get(i);
                next = MessageColumns.bindInLane(statement, next, consumer, received.key(), received.message());
                statement.setBoolean(next++, received.byLease());
                if ((i + 1) % insert.messages() == 0) {
                    statement.addBatch();
                    next = 1;
                }
            }
            statement.executeBatch();
        }
    }

    static List<WorkItem> retake(Connection connection, RegisteredConsumer consumer, List<Long> ids)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WorkStatements.RETAKE)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, ids.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}")));
            return WorkItems.readAll(statement);
        }
    }

    static void postpone(Connection connection, RegisteredConsumer consumer, List<PostponedItem> items)
            throws SQLException {
        Map<Boolean, List<PostponedItem>> byNote =
                items.stream().collect(Collectors.groupingBy(PostponedItem::isNoted));
        for (Map.Entry<Boolean, List<PostponedItem>> entry : byNote.entrySet()) {
            postpone(connection, consumer, entry.getValue(), entry.getKey());
        }
    }

    private static void postpone(
            Connection connection, RegisteredConsumer consumer, List<PostponedItem> items, boolean areNoted)
            throws SQLException {
        String sql = areNoted ? WorkStatements.POSTPONE : WorkStatements.WAIT;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (PostponedItem postponed : items) {
                FailedAttempt attempt = postponed.attempt();
                statement.setInt(1, attempt.number());
                statement.setLong(2, postponed.dueIn().toMillis());
                statement.setString(3, MessageColumns.describe(attempt));
                statement.setShort(4, consumer.id());
                statement.setLong(5, postponed.item().id());
                statement.setLong(6, postponed.item().token());
                if (areNoted) {
                    MessageColumns.bindAttempt(statement, 7, attempt);
                }
                statement.addBatch();
            }
            WorkItems.requireAll(statement.executeBatch());
        }
    }

    static void requireLease(Connection connection, RegisteredConsumer consumer, List<WorkItem> items)
            throws SQLException {
        change(connection, WorkStatements.REQUIRE_LEASE, consumer, items);
    }

    static void finish(Connection connection, RegisteredConsumer consumer, List<WorkItem> items) throws SQLException {
        change(connection, WorkStatements.FINISH, consumer, items);
    }

    private static void change(Connection connection, String sql, RegisteredConsumer consumer, List<WorkItem> items)
            throws SQLException {
        Map<Long, List<WorkItem>> byToken = items.stream().collect(Collectors.groupingBy(WorkItem::token));
        int changed = 0;
        String text = StoreSchema.format(connection, sql);
        try (Statement statement = StoreSchema.unbound(connection).createStatement()) {
            for (Map.Entry<Long, List<WorkItem>> entry : byToken.entrySet()) {
                String ids = entry.getValue().stream()
                        .map(item -> Long.toString(item.id()))
                        .collect(Collectors.joining(","));
                changed +=
                        statement.executeUpdate(String.format(Locale.ROOT, text, ids, entry.getKey(), consumer.id()));
            }
        }
        WorkItems.requireAll(changed, items.size());
    }
}
