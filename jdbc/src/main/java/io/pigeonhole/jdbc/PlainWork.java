package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Unfinished messages as they come, change and go. */
final class PlainWork {
    private PlainWork() {}

    static void receive(PlainSession session, RegisteredConsumer consumer, List<ReceivedMessage> messages)
            throws SQLException {
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(WorkStatement.RECEIVE)) {
            for (ReceivedMessage received : messages) {
                int next = PlainColumns.bindInLane(statement, 1, consumer, received.key(), received.message());
                statement.setBoolean(next++, received.byLease());
                statement.setObject(next++, now);
                bindArrival(statement, next, now);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    static void park(PlainSession session, RegisteredConsumer consumer, List<ParkedMessage> messages)
            throws SQLException {
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(WorkStatement.PARK)) {
            for (ParkedMessage parked : messages) {
                FailedAttempt attempt = parked.attempt();
                int next = PlainColumns.bindInLane(statement, 1, consumer, parked.key(), parked.message());
                statement.setInt(next++, attempt.number());
                statement.setString(next++, MessageColumns.describe(attempt));
                statement.setObject(next++, now.plus(parked.dueIn()));
                bindArrival(statement, next, now);
                statement.addBatch();
            }
            statement.executeBatch();
        }
        Map<MessageKey, FailedAttempt> attempts = new HashMap<>();
        messages.forEach(parked -> attempts.put(parked.key(), parked.attempt()));
        noteAttempts(session, consumer, attempts);
    }

    private static void bindArrival(PreparedStatement statement, int first, LocalDateTime now) throws SQLException {
        statement.setObject(first, now);
        statement.setObject(first + 1, now);
        statement.setObject(first + 2, now);
    }

    static void noteAttempts(PlainSession session, RegisteredConsumer consumer, Map<MessageKey, FailedAttempt> attempts)
            throws SQLException {
        if (attempts.isEmpty()) {
            return;
        }
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(WorkStatement.NOTE_ATTEMPT)) {
            for (Map.Entry<MessageKey, FailedAttempt> entry : attempts.entrySet()) {
                statement.setShort(1, consumer.id());
                statement.setBytes(2, entry.getKey().toBytes());
                statement.setObject(3, now.minus(entry.getValue().duration()));
                MessageColumns.bindAttempt(statement, 4, entry.getValue());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** Locks items, which costs nothing where they are locked already, and finds out whether they are still the caller's. */
    static void requireOwned(PlainSession session, RegisteredConsumer consumer, List<WorkItem> items)
            throws SQLException {
        Map<Long, Long> tokens = new HashMap<>();
        try (PreparedStatement statement = session.prepare(WorkStatement.LOCK, items.size())) {
            int next = PlainSession.bindNumbers(
                    statement, 1, items.stream().map(WorkItem::id).sorted().toList());
            statement.setShort(next, consumer.id());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    tokens.put(rows.getLong(1), rows.getLong(2));
                }
            }
        }
        long owned = items.stream()
                .filter(item -> Long.valueOf(item.token()).equals(tokens.get(item.id())))
                .count();
        WorkItems.requireAll((int) owned, items.size());
    }

    static void postpone(PlainSession session, RegisteredConsumer consumer, List<PostponedItem> items)
            throws SQLException {
        requireOwned(session, consumer, items.stream().map(PostponedItem::item).toList());
        LocalDateTime now = session.timestamp();
        Map<MessageKey, FailedAttempt> attempts = new HashMap<>();
        try (PreparedStatement statement = session.prepare(WorkStatement.POSTPONE)) {
            for (PostponedItem postponed : items) {
                FailedAttempt attempt = postponed.attempt();
                statement.setInt(1, attempt.number());
                statement.setObject(2, now.plus(postponed.dueIn()));
                statement.setString(3, MessageColumns.describe(attempt));
                statement.setObject(4, now);
                statement.setLong(5, postponed.item().id());
                statement.addBatch();
                if (postponed.isNoted()) {
                    attempts.put(postponed.item().key(), attempt);
                }
            }
            statement.executeBatch();
        }
        noteAttempts(session, consumer, attempts);
    }

    static void requireLease(PlainSession session, RegisteredConsumer consumer, List<WorkItem> items)
            throws SQLException {
        requireOwned(session, consumer, items);
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(WorkStatement.REQUIRE_LEASE)) {
            for (WorkItem item : items) {
                statement.setObject(1, now);
                statement.setLong(2, item.id());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    static void finish(PlainSession session, RegisteredConsumer consumer, List<WorkItem> items) throws SQLException {
        requireOwned(session, consumer, items);
        try (PreparedStatement statement = session.prepare(WorkStatement.FINISH)) {
            for (WorkItem item : items) {
                statement.setLong(1, item.id());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    static void record(PlainSession session, RegisteredConsumer consumer, List<FinishedMessage> messages)
            throws SQLException {
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(LedgerStatement.RECORD)) {
            for (FinishedMessage finished : messages) {
                int next = PlainColumns.bind(
                        statement, 1, consumer, finished.key(), finished.message(), finished.withPayload());
                statement.setBoolean(next++, finished.withPayload());
                statement.setInt(next++, finished.attempts());
                statement.setObject(next, now);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }
}
