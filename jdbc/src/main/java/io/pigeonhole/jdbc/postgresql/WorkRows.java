package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageColumns;
import io.pigeonhole.jdbc.sql.StoreSchema;
import io.pigeonhole.jdbc.sql.WorkItems;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The rows of {@code inbox_work} as they come, change and go. */
final class WorkRows {
    private WorkRows() {}

    static void park(PostgresCalls calls, RegisteredConsumer consumer, List<ParkedMessage> messages)
            throws SQLException {
        try (Call call = calls.call(PostgresWorkStatement.PARK)) {
            for (ParkedMessage parked : messages) {
                FailedAttempt attempt = parked.attempt();
                MessageColumns.bindInWorkPartition(call, consumer, parked.key(), parked.message())
                        .number("attempts", attempt.number())
                        .number("delay", parked.dueIn().toMillis())
                        .text("error", MessageColumns.describe(attempt))
                        .attempt(attempt)
                        .addBatch();
            }
            call.changeEach();
        }
    }

    static void receive(PostgresCalls calls, RegisteredConsumer consumer, List<ReceivedMessage> messages)
            throws SQLException {
        int done = 0;
        for (PostgresTexts.ForMany insert : calls.texts().receive()) {
            int end = messages.size() - (messages.size() - done) % insert.messages();
            if (end > done) {
                receive(calls, insert, consumer, messages.subList(done, end));
                done = end;
            }
        }
    }

    private static void receive(
            PostgresCalls calls,
            PostgresTexts.ForMany insert,
            RegisteredConsumer consumer,
            List<ReceivedMessage> messages)
            throws SQLException {
        try (Call call = calls.call(insert.text())) {
            for (int i = 0; i < messages.size(); i++) {
                ReceivedMessage received = messages.get(i);
                call.row(i % insert.messages());
                MessageColumns.bindInWorkPartition(call, consumer, received.key(), received.message())
                        .flag("by_lease", received.byLease());
                if ((i + 1) % insert.messages() == 0) {
                    call.addBatch();
                }
            }
            call.changeEach();
        }
    }

    static List<WorkItem> retake(PostgresCalls calls, RegisteredConsumer consumer, List<Long> ids) throws SQLException {
        try (Call call = calls.call(PostgresWorkStatement.RETAKE)) {
            return call.consumer(consumer).numbers("ids", ids).all(WorkItems::read);
        }
    }

    static void postpone(PostgresCalls calls, RegisteredConsumer consumer, List<PostponedItem> items)
            throws SQLException {
        Map<Boolean, List<PostponedItem>> byNote =
                items.stream().collect(Collectors.groupingBy(PostponedItem::isNoted));
        for (Map.Entry<Boolean, List<PostponedItem>> entry : byNote.entrySet()) {
            postpone(calls, consumer, entry.getValue(), entry.getKey());
        }
    }

    private static void postpone(
            PostgresCalls calls, RegisteredConsumer consumer, List<PostponedItem> items, boolean areNoted)
            throws SQLException {
        try (Call call = calls.call(areNoted ? PostgresWorkStatement.POSTPONE : PostgresWorkStatement.WAIT)) {
            for (PostponedItem postponed : items) {
                FailedAttempt attempt = postponed.attempt();
                call.number("attempts", attempt.number())
                        .number("delay", postponed.dueIn().toMillis())
                        .text("error", MessageColumns.describe(attempt))
                        .consumer(consumer)
                        .number("id", postponed.item().id())
                        .number("token", postponed.item().token());
                if (areNoted) {
                    call.attempt(attempt);
                }
                call.addBatch();
            }
            WorkItems.requireAll(call.changeEach());
        }
    }

    static void requireLease(PostgresCalls calls, RegisteredConsumer consumer, List<WorkItem> items)
            throws SQLException {
        change(calls, PostgresWorkStatement.REQUIRE_LEASE, consumer, items);
    }

    static void finish(PostgresCalls calls, RegisteredConsumer consumer, List<WorkItem> items) throws SQLException {
        change(calls, PostgresWorkStatement.FINISH, consumer, items);
    }

    private static void change(
            PostgresCalls calls, PostgresWorkStatement change, RegisteredConsumer consumer, List<WorkItem> items)
            throws SQLException {
        Map<Long, List<WorkItem>> byToken = items.stream().collect(Collectors.groupingBy(WorkItem::token));
        int changed = 0;
        Connection connection = calls.connection();
        String text = StoreSchema.format(connection, calls.texts().of(change).sql());
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
