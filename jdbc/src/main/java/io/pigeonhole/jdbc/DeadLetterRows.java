package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The rows of {@code inbox_dead_letter}. */
final class DeadLetterRows {
    private DeadLetterRows() {}

    static void bury(Connection connection, RegisteredConsumer consumer, List<DeadLetter> letters) throws SQLException {
        List<DeadLetter> fromWork = new ArrayList<>();
        List<DeadLetter> others = new ArrayList<>();
        letters.forEach(letter -> (letter.item() == null ? others : fromWork).add(letter));
        if (!fromWork.isEmpty()) {
            move(connection, consumer, fromWork);
        }
        if (!others.isEmpty()) {
            insert(connection, consumer, others);
        }
    }

    private static void insert(Connection connection, RegisteredConsumer consumer, List<DeadLetter> letters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DeadLetterStatements.BURY)) {
            for (DeadLetter letter : letters) {
                int next = MessageColumns.bindInLane(statement, 1, consumer, letter.key(), letter.message());
                FailedAttempt attempt = letter.attempt();
                next = bindReason(statement, next, consumer, letter, attempt == null ? 0 : attempt.number());
                MessageColumns.bindAttempt(statement, next, attempt);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private static void move(Connection connection, RegisteredConsumer consumer, List<DeadLetter> letters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DeadLetterStatements.BURY_FROM_WORK)) {
            for (DeadLetter letter : letters) {
                WorkItem item = letter.item();
                if (item == null) {
                    throw new IllegalArgumentException(letter.key() + " is not in work");
                }
                FailedAttempt attempt = letter.attempt();
                statement.setShort(1, consumer.id());
                statement.setLong(2, item.id());
                statement.setLong(3, item.token());
                int next = MessageColumns.bindAttempt(statement, 4, attempt);
                bindReason(statement, next, consumer, letter, attempt == null ? item.attempts() : attempt.number());
                statement.addBatch();
            }
            WorkItems.requireAll(statement.executeBatch());
        }
    }

    private static int bindReason(
            PreparedStatement statement, int first, RegisteredConsumer consumer, DeadLetter letter, int attempts)
            throws SQLException {
        statement.setBoolean(first, letter.blocks(consumer));
        statement.setString(first + 1, letter.reason().name());
        statement.setString(first + 2, CleanText.of(letter.detail()));
        statement.setBoolean(first + 3, letter.claimed());
        statement.setInt(first + 4, attempts);
        return first + 5;
    }

    static Set<MessageKey> seenAgain(Connection connection, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        return change(connection, DeadLetterStatements.SEEN_AGAIN, consumer, keys);
    }

    static Set<MessageKey> reopen(Connection connection, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        return change(connection, DeadLetterStatements.REOPEN, consumer, keys);
    }

    private static Set<MessageKey> change(
            Connection connection, String sql, RegisteredConsumer consumer, Collection<MessageKey> keys)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, KeyArray.write(keys));
            return LedgerRows.readKeys(statement);
        }
    }
}
