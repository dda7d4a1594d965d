package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.KeyArray;
import io.pigeonhole.jdbc.sql.MessageColumns;
import io.pigeonhole.jdbc.sql.WorkItems;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The rows of {@code inbox_dead_letter}. */
final class DeadLetterRows {
    private DeadLetterRows() {}

    static void add(PostgresCalls calls, RegisteredConsumer consumer, List<DeadLetter> letters) throws SQLException {
        List<DeadLetter> fromWork = new ArrayList<>();
        List<DeadLetter> others = new ArrayList<>();
        letters.forEach(letter -> (letter.item() == null ? others : fromWork).add(letter));
        if (!fromWork.isEmpty()) {
            move(calls, consumer, fromWork);
        }
        if (!others.isEmpty()) {
            insert(calls, consumer, others);
        }
    }

    private static void insert(PostgresCalls calls, RegisteredConsumer consumer, List<DeadLetter> letters)
            throws SQLException {
        try (Call call = calls.call(PostgresDeadLetterStatement.ADD)) {
            for (DeadLetter letter : letters) {
                FailedAttempt attempt = letter.attempt();
                MessageColumns.bindInWorkPartition(call, consumer, letter.key(), letter.message());
                bindReason(call, consumer, letter, attempt == null ? 0 : attempt.number());
                call.attemptOrNone(attempt).addBatch();
            }
            call.changeEach();
        }
    }

    private static void move(PostgresCalls calls, RegisteredConsumer consumer, List<DeadLetter> letters)
            throws SQLException {
        try (Call call = calls.call(PostgresDeadLetterStatement.MOVE_FROM_WORK)) {
            for (DeadLetter letter : letters) {
                WorkItem item = letter.item();
                if (item == null) {
                    throw new IllegalArgumentException(letter.key() + " is not in work");
                }
                FailedAttempt attempt = letter.attempt();
                call.consumer(consumer).number("id", item.id()).number("token", item.token());
                bindReason(call, consumer, letter, attempt == null ? item.attempts() : attempt.number());
                call.attemptOrNone(attempt).addBatch();
            }
            WorkItems.requireAll(call.changeEach());
        }
    }

    private static void bindReason(Call call, RegisteredConsumer consumer, DeadLetter letter, int attempts)
            throws SQLException {
        call.flag("blocks", letter.blocks(consumer))
                .text("reason", letter.reason().name())
                .text("detail", letter.detail())
                .flag("claimed", letter.claimed())
                .number("attempts", attempts);
    }

    static Set<MessageKey> seenAgain(PostgresCalls calls, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        return change(calls, PostgresDeadLetterStatement.SEEN_AGAIN, consumer, keys);
    }

    static Set<MessageKey> reopen(PostgresCalls calls, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        return change(calls, PostgresDeadLetterStatement.REOPEN, consumer, keys);
    }

    private static Set<MessageKey> change(
            PostgresCalls calls,
            PostgresDeadLetterStatement change,
            RegisteredConsumer consumer,
            Collection<MessageKey> keys)
            throws SQLException {
        try (Call call = calls.call(change)) {
            return new HashSet<>(call.consumer(consumer)
                    .text("keys", KeyArray.write(keys))
                    .all(row -> MessageKey.of(row.getObject(1, UUID.class))));
        }
    }
}
