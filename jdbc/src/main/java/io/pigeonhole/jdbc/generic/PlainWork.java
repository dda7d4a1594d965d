package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageColumns;
import io.pigeonhole.jdbc.sql.MessageStatement;
import io.pigeonhole.jdbc.sql.WorkItems;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Unfinished messages as they come, change and go. */
final class PlainWork {
    private PlainWork() {}

    static void receive(PlainSession session, RegisteredConsumer consumer, List<ReceivedMessage> messages)
            throws SQLException {
        Instant now = session.now();
        try (Call call = session.call(WorkStatement.RECEIVE)) {
            for (ReceivedMessage received : messages) {
                PlainColumns.bindInWorkPartition(call, consumer, received.key(), received.message())
                        .flag("by_lease", received.byLease())
                        .instant("now", now)
                        .addBatch();
            }
            call.changeBatch();
        }
    }

    static void park(PlainSession session, RegisteredConsumer consumer, List<ParkedMessage> messages)
            throws SQLException {
        Instant now = session.now();
        try (Call call = session.call(WorkStatement.PARK)) {
            for (ParkedMessage parked : messages) {
                FailedAttempt attempt = parked.attempt();
                PlainColumns.bindInWorkPartition(call, consumer, parked.key(), parked.message())
                        .number("attempts", attempt.number())
                        .text("error", MessageColumns.describe(attempt))
                        .instant("due", now.plus(parked.dueIn()))
                        .instant("now", now)
                        .addBatch();
            }
            call.changeBatch();
        }
        Map<MessageKey, FailedAttempt> attempts = new HashMap<>();
        messages.forEach(parked -> attempts.put(parked.key(), parked.attempt()));
        noteAttempts(session, consumer, attempts);
    }

    static void noteAttempts(PlainSession session, RegisteredConsumer consumer, Map<MessageKey, FailedAttempt> attempts)
            throws SQLException {
        if (attempts.isEmpty()) {
            return;
        }
        Instant now = session.now();
        try (Call call = session.call(MessageStatement.ADD_ATTEMPT)) {
            for (Map.Entry<MessageKey, FailedAttempt> entry : attempts.entrySet()) {
                FailedAttempt attempt = entry.getValue();
                call.consumer(consumer)
                        .key(entry.getKey())
                        .instant("started", now.minus(attempt.duration()))
                        .attempt(attempt)
                        .addBatch();
            }
            call.changeBatch();
        }
    }

    /** Locks items, which costs nothing where they are locked already, and finds out whether they are still the caller's. */
    static void requireOwned(PlainSession session, RegisteredConsumer consumer, List<WorkItem> items)
            throws SQLException {
        Map<Long, Long> tokens = new HashMap<>();
        try (Call call = session.call(WorkStatement.LOCK, items.size())) {
            call.numbers("ids", items.stream().map(WorkItem::id).sorted().toList())
                    .consumer(consumer)
                    .all(row -> tokens.put(row.getLong(1), row.getLong(2)));
        }
        long owned = items.stream()
                .filter(item -> Long.valueOf(item.token()).equals(tokens.get(item.id())))
                .count();
        WorkItems.requireAll((int) owned, items.size());
    }

    static void postpone(PlainSession session, RegisteredConsumer consumer, List<PostponedItem> items)
            throws SQLException {
        requireOwned(session, consumer, items.stream().map(PostponedItem::item).toList());
        Instant now = session.now();
        Map<MessageKey, FailedAttempt> attempts = new HashMap<>();
        try (Call call = session.call(WorkStatement.POSTPONE)) {
            for (PostponedItem postponed : items) {
                FailedAttempt attempt = postponed.attempt();
                call.number("attempts", attempt.number())
                        .instant("due", now.plus(postponed.dueIn()))
                        .text("error", MessageColumns.describe(attempt))
                        .instant("now", now)
                        .number("id", postponed.item().id())
                        .addBatch();
                if (postponed.isNoted()) {
                    attempts.put(postponed.item().key(), attempt);
                }
            }
            call.changeLockedBatch(items.size());
        }
        noteAttempts(session, consumer, attempts);
    }

    static void requireLease(PlainSession session, RegisteredConsumer consumer, List<WorkItem> items)
            throws SQLException {
        requireOwned(session, consumer, items);
        Instant now = session.now();
        try (Call call = session.call(WorkStatement.REQUIRE_LEASE)) {
            for (WorkItem item : items) {
                call.instant("now", now).number("id", item.id()).addBatch();
            }
            call.changeLockedBatch(items.size());
        }
    }

    static void finish(PlainSession session, RegisteredConsumer consumer, List<WorkItem> items) throws SQLException {
        requireOwned(session, consumer, items);
        try (Call call = session.call(MessageStatement.DELETE_FROM_WORK)) {
            for (WorkItem item : items) {
                call.number("id", item.id()).addBatch();
            }
            call.changeLockedBatch(items.size());
        }
    }

    static void record(PlainSession session, RegisteredConsumer consumer, List<FinishedMessage> messages)
            throws SQLException {
        Instant now = session.now();
        try (Call call = session.call(LedgerStatement.RECORD)) {
            for (FinishedMessage finished : messages) {
                call.consumer(consumer)
                        .key(finished.key())
                        .message(finished.message(), finished.withPayload())
                        .flag("with_payload", finished.withPayload())
                        .number("attempts", finished.attempts())
                        .instant("now", now)
                        .addBatch();
            }
            call.changeBatch();
        }
    }
}
