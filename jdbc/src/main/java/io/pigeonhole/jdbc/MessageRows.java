package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes messages into work, dead letters and history, many in one batch. */
final class MessageRows {
    private MessageRows() {}

    static void park(Connection connection, RegisteredConsumer consumer, List<ParkedMessage> messages)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.PARK)) {
            for (ParkedMessage parked : messages) {
                FailedAttempt attempt = parked.attempt();
                int next = bindMessage(statement, consumer, parked.key(), parked.message(), true);
                statement.setInt(next++, attempt.number());
                statement.setLong(next++, parked.dueIn().toMillis());
                statement.setString(next++, CleanText.of(attempt.errorClass() + ": " + attempt.message()));
                bindAttempt(statement, next, attempt);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    static void bury(Connection connection, RegisteredConsumer consumer, List<DeadLetter> letters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.BURY)) {
            for (DeadLetter letter : letters) {
                FailedAttempt attempt = letter.attempt();
                int next = bindMessage(statement, consumer, letter.key(), letter.message(), true);
                statement.setString(next++, letter.reason().name());
                statement.setString(next++, CleanText.of(letter.detail()));
                statement.setBoolean(next++, letter.claimed());
                statement.setInt(next++, attempt == null ? 0 : attempt.number());
                bindAttempt(statement, next, attempt);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    static void record(Connection connection, RegisteredConsumer consumer, List<FinishedMessage> messages)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.RECORD)) {
            for (FinishedMessage finished : messages) {
                int next = bindMessage(statement, consumer, finished.key(), finished.message(), finished.withPayload());
                statement.setBoolean(next++, finished.withPayload());
                statement.setInt(next, finished.attempts());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** Returns the index of the next parameter. */
    private static int bindMessage(
            PreparedStatement statement,
            RegisteredConsumer consumer,
            MessageKey key,
            Message message,
            boolean withPayload)
            throws SQLException {
        MessageId id = message.id();
        statement.setShort(1, consumer.id());
        statement.setObject(2, key.toUuid());
        statement.setString(3, CleanText.of(message.source()));
        statement.setBytes(4, id == null ? null : id.toBytes());
        statement.setString(5, CleanText.ofNullable(message.type()));
        statement.setBytes(6, message.orderingKey());
        statement.setBytes(7, withPayload ? HeaderFormat.write(message.headers()) : null);
        statement.setString(8, CleanText.ofNullable(message.contentType()));
        statement.setBytes(9, withPayload && !message.isTombstone() ? message.payload() : null);
        statement.setString(10, CleanText.ofNullable(message.origin()));
        return 11;
    }

    private static void bindAttempt(PreparedStatement statement, int first, @Nullable FailedAttempt attempt)
            throws SQLException {
        if (attempt == null) {
            statement.setNull(first, Types.INTEGER);
            statement.setNull(first + 1, Types.VARCHAR);
            statement.setNull(first + 2, Types.BIGINT);
            statement.setNull(first + 3, Types.VARCHAR);
            statement.setNull(first + 4, Types.VARCHAR);
            statement.setNull(first + 5, Types.VARCHAR);
            return;
        }
        statement.setInt(first, attempt.number());
        statement.setString(first + 1, CleanText.of(attempt.node()));
        statement.setLong(first + 2, attempt.duration().toMillis());
        statement.setString(first + 3, CleanText.of(attempt.errorClass()));
        statement.setString(first + 4, CleanText.of(attempt.message()));
        statement.setString(first + 5, CleanText.of(attempt.stack()));
    }
}
