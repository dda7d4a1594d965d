package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.AttemptEntry;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.BlockedKey;
import io.pigeonhole.core.admin.ConsumerSummary;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.Page;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks at messages, each time in a transaction that sees one moment. */
final class AdminReads {
    private static final String LONG_AGO = "-infinity";
    private static final String NEVER = "infinity";

    private final ConnectionSource connections;

    AdminReads(ConnectionSource connections) {
        this.connections = connections;
    }

    private <T> T read(String what, Errand<T> question) {
        return Errand.run(connections, "to read " + what, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(AdminReadStatements.ONE_MOMENT);
            }
            return question.run(connection);
        });
    }

    List<ConsumerSummary> consumers() {
        return read("the consumers", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(AdminReadStatements.SUMMARIES)) {
                return AdminRows.readAll(statement, AdminRows::summary);
            }
        });
    }

    Page<WorkEntry> work(WorkFilter filter, PageRequest page) {
        return read("work", connection -> {
            RegisteredConsumer consumer = AdminRows.consumer(connection, filter.consumer());
            try (PreparedStatement statement = connection.prepareStatement(AdminReadStatements.WORK)) {
                statement.setShort(1, consumer.id());
                statement.setString(
                        2,
                        filter.status() == null ? null : filter.status().name().toLowerCase(Locale.ROOT));
                bindText(statement, 3, filter.type(), filter.source(), filter.orderingKey(), filter.errorContains());
                bindBounds(statement, 7, filter.since(), filter.until());
                Cursor after = page.after();
                statement.setLong(9, after == null ? Long.MIN_VALUE : after.id());
                statement.setInt(10, page.limit() + 1);
                List<WorkEntry> found = AdminRows.readAll(statement, AdminRows::work);
                return Page.of(found, page.limit(), entry -> new Cursor(entry.receivedAt(), entry.id()));
            }
        });
    }

    Page<DeadLetterEntry> deadLetters(DeadLetterFilter filter, PageRequest page) {
        return read("dead letters", connection -> {
            RegisteredConsumer consumer = AdminRows.consumer(connection, filter.consumer());
            try (PreparedStatement statement = connection.prepareStatement(AdminReadStatements.DEAD_LETTERS)) {
                int next = bindFilter(statement, 1, consumer, filter);
                Cursor before = page.after();
                statement.setString(next++, before == null ? NEVER : before.at().toString());
                statement.setLong(next++, before == null ? Long.MAX_VALUE : before.id());
                statement.setInt(next, page.limit() + 1);
                List<DeadLetterEntry> found = AdminRows.readAll(statement, AdminRows::letter);
                return Page.of(found, page.limit(), letter -> new Cursor(letter.diedAt(), letter.id()));
            }
        });
    }

    Selection select(DeadLetterFilter filter, @Nullable Instant cutoff) {
        return read("how many dead letters there are", connection -> {
            RegisteredConsumer consumer = AdminRows.consumer(connection, filter.consumer());
            try (PreparedStatement statement = connection.prepareStatement(AdminReadStatements.SELECT)) {
                statement.setString(1, text(cutoff));
                bindFilter(statement, 2, consumer, filter);
                return Objects.requireNonNull(AdminRows.readFirst(
                        statement, row -> new Selection(filter, AdminRows.instant(row, 1), row.getLong(2))));
            }
        });
    }

    Optional<MessageDetails> show(String consumer, MessageKey key) {
        return read("a message", connection -> show(connection, AdminRows.consumer(connection, consumer), key));
    }

    /** What a row says of a message besides its entry. */
    private record Found<T>(T entry, Message message) {}

    /** A line of the history. */
    private record Processed(Instant at, boolean withPayload, Message message) {}

    private static Optional<MessageDetails> show(Connection connection, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        Found<WorkEntry> work = ask(
                connection,
                AdminReadStatements.SHOW_WORK,
                consumer,
                key,
                row -> new Found<>(AdminRows.work(row), MessageColumns.read(row, AdminRows.MESSAGE_AFTER_WORK)));
        Found<DeadLetterEntry> letter = ask(
                connection,
                AdminReadStatements.SHOW_LETTER,
                consumer,
                key,
                row -> new Found<>(AdminRows.letter(row), MessageColumns.read(row, AdminRows.MESSAGE_AFTER_LETTER)));
        Processed processed = ask(
                connection,
                AdminReadStatements.SHOW_HISTORY,
                consumer,
                key,
                row -> new Processed(AdminRows.instant(row, 1), row.getBoolean(2), MessageColumns.read(row, 3)));
        Instant accepted =
                ask(connection, AdminReadStatements.SHOW_ACCEPTED, consumer, key, row -> AdminRows.instant(row, 1));
        Message message = work != null
                ? work.message()
                : letter != null ? letter.message() : processed != null ? processed.message() : null;
        boolean kept = work != null || letter != null;
        return MessageDetails.of(
                consumer.name(),
                key,
                message,
                kept || (processed != null && processed.withPayload()),
                work == null ? null : work.entry(),
                letter == null ? null : letter.entry(),
                accepted,
                processed == null ? null : processed.at(),
                attempts(connection, consumer, key),
                audit(connection, consumer, key));
    }

    private static <T> @Nullable T ask(
            Connection connection, String sql, RegisteredConsumer consumer, MessageKey key, AdminRows.Reader<T> reader)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setShort(1, consumer.id());
            statement.setObject(2, key.toUuid());
            return AdminRows.readFirst(statement, reader);
        }
    }

    private static List<AttemptEntry> attempts(Connection connection, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(AdminReadStatements.SHOW_ATTEMPTS)) {
            statement.setShort(1, consumer.id());
            statement.setObject(2, key.toUuid());
            statement.setInt(3, MessageDetails.MOST_ATTEMPTS);
            return AdminRows.readAll(statement, AdminRows::attempt);
        }
    }

    List<BlockedKey> blockedKeys(String name, int limit) {
        return read("the blocked keys", connection -> {
            RegisteredConsumer consumer = AdminRows.consumer(connection, name);
            try (PreparedStatement statement = connection.prepareStatement(AdminReadStatements.BLOCKED_KEYS)) {
                statement.setShort(1, consumer.id());
                statement.setShort(2, consumer.id());
                statement.setInt(3, limit);
                return AdminRows.readAll(statement, AdminRows::blockedKey);
            }
        });
    }

    Page<AuditEntry> audit(String name, PageRequest page) {
        return read("the audit", connection -> {
            RegisteredConsumer consumer = AdminRows.consumer(connection, name);
            Cursor before = page.after();
            try (PreparedStatement statement = connection.prepareStatement(AdminReadStatements.AUDIT)) {
                statement.setString(1, consumer.name());
                statement.setLong(2, before == null ? Long.MAX_VALUE : before.id());
                statement.setInt(3, page.limit() + 1);
                List<AuditEntry> found = AdminRows.readAll(statement, AdminRows::audit);
                return Page.of(found, page.limit(), entry -> new Cursor(entry.at(), entry.id()));
            }
        });
    }

    /** The latest, the first of them first. */
    private static List<AuditEntry> audit(Connection connection, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(AdminReadStatements.AUDIT_OF_MESSAGE)) {
            statement.setString(1, consumer.name());
            statement.setObject(2, key.toUuid());
            statement.setInt(3, MessageDetails.MOST_CHANGES);
            List<AuditEntry> entries = AdminRows.readAll(statement, AdminRows::audit);
            Collections.reverse(entries);
            return entries;
        }
    }

    /** Binds the eight parameters of a filter of dead letters. Returns the index of the next. */
    static int bindFilter(PreparedStatement statement, int first, RegisteredConsumer consumer, DeadLetterFilter filter)
            throws SQLException {
        statement.setShort(first, consumer.id());
        statement.setString(
                first + 1, filter.reason() == null ? null : filter.reason().name());
        bindText(statement, first + 2, filter.type(), filter.source(), filter.orderingKey(), filter.errorContains());
        bindBounds(statement, first + 6, filter.since(), filter.until());
        return first + 8;
    }

    private static void bindText(
            PreparedStatement statement,
            int first,
            @Nullable String type,
            @Nullable String source,
            @Nullable OrderingKey orderingKey,
            @Nullable String error)
            throws SQLException {
        statement.setString(first, CleanText.ofNullable(type));
        statement.setString(first + 1, CleanText.ofNullable(source));
        statement.setBytes(first + 2, orderingKey == null ? null : orderingKey.bytes());
        statement.setString(first + 3, CleanText.ofNullable(error));
    }

    private static void bindBounds(
            PreparedStatement statement, int first, @Nullable Instant since, @Nullable Instant until)
            throws SQLException {
        statement.setString(first, since == null ? LONG_AGO : since.toString());
        statement.setString(first + 1, until == null ? NEVER : until.toString());
    }

    static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
