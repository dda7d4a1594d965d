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
import io.pigeonhole.core.admin.UnknownConsumerException;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks at messages, each time in a transaction that sees one moment. */
final class AdminReads {
    private final AdminDatabase database;

    AdminReads(AdminDatabase database) {
        this.database = database;
    }

    /** The consumer of a name, for those who did not register it. */
    static RegisteredConsumer consumer(AdminDatabase.Session session, String name) throws SQLException {
        List<RegisteredConsumer> found = consumers(session, name);
        if (found.isEmpty()) {
            throw new UnknownConsumerException(
                    name,
                    consumers(session, null).stream()
                            .map(RegisteredConsumer::name)
                            .toList());
        }
        return found.get(0);
    }

    private static List<RegisteredConsumer> consumers(AdminDatabase.Session session, @Nullable String name)
            throws SQLException {
        try (AdminCall call = session.call(AdminStatement.CONSUMERS)) {
            return call.wanted(name).all(AdminRows::consumer);
        }
    }

    List<ConsumerSummary> consumers() {
        return database.look("the consumers", session -> {
            try (AdminCall call = session.call(AdminStatement.SUMMARIES)) {
                return call.now().all(AdminRows::summary);
            }
        });
    }

    Page<WorkEntry> work(WorkFilter filter, PageRequest page) {
        return database.look("work", session -> {
            RegisteredConsumer consumer = consumer(session, filter.consumer());
            Cursor after = page.after();
            try (AdminCall call = session.call(AdminStatement.WORK)) {
                call.consumer(consumer)
                        .wanted(
                                filter.status() == null
                                        ? null
                                        : filter.status().name().toLowerCase(Locale.ROOT))
                        .wanted(filter.type())
                        .wanted(filter.source())
                        .wanted(bytes(filter.orderingKey()))
                        .wanted(filter.errorContains())
                        .between(filter.since(), filter.until())
                        .id(after == null ? Long.MIN_VALUE : after.id())
                        .count(page.limit() + 1);
                return Page.of(
                        call.all(call.rows::work), page.limit(), entry -> new Cursor(entry.receivedAt(), entry.id()));
            }
        });
    }

    Page<DeadLetterEntry> deadLetters(DeadLetterFilter filter, PageRequest page) {
        return database.look("dead letters", session -> {
            RegisteredConsumer consumer = consumer(session, filter.consumer());
            try (AdminCall call = session.call(AdminStatement.DEAD_LETTERS)) {
                bind(call, consumer, filter).before(page.after()).count(page.limit() + 1);
                return Page.of(
                        call.all(call.rows::letter), page.limit(), letter -> new Cursor(letter.diedAt(), letter.id()));
            }
        });
    }

    /** Binds a filter of dead letters. */
    static AdminCall bind(AdminCall call, RegisteredConsumer consumer, DeadLetterFilter filter) throws SQLException {
        return call.consumer(consumer)
                .wanted(filter.reason() == null ? null : filter.reason().name())
                .wanted(filter.type())
                .wanted(filter.source())
                .wanted(bytes(filter.orderingKey()))
                .wanted(filter.errorContains())
                .between(filter.since(), filter.until());
    }

    private static byte @Nullable [] bytes(@Nullable OrderingKey key) {
        return key == null ? null : key.bytes();
    }

    Selection select(DeadLetterFilter filter, @Nullable Instant cutoff) {
        return database.look("how many dead letters there are", session -> {
            RegisteredConsumer consumer = consumer(session, filter.consumer());
            Instant until = cutoff == null ? session.now() : cutoff;
            try (AdminCall call = session.call(AdminStatement.COUNT_LETTERS)) {
                Long count = bind(call, consumer, filter).instant(until).first(row -> row.getLong(1));
                return new Selection(filter, until, Objects.requireNonNull(count));
            }
        });
    }

    Optional<MessageDetails> show(String consumer, MessageKey key) {
        return database.look("a message", session -> show(session, consumer(session, consumer), key));
    }

    /** What a row says of a message besides its entry. */
    private record Found<T>(T entry, Message message) {}

    /** A line of the history. */
    private record Processed(Instant at, boolean withPayload, Message message) {}

    private static Optional<MessageDetails> show(
            AdminDatabase.Session session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        Found<WorkEntry> work = work(session, consumer, key);
        Found<DeadLetterEntry> letter = letter(session, consumer, key);
        Processed processed = processed(session, consumer, key);
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
                accepted(session, consumer, key),
                processed == null ? null : processed.at(),
                attempts(session, consumer, key),
                audit(session, consumer, key));
    }

    private static @Nullable Found<WorkEntry> work(
            AdminDatabase.Session session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (AdminCall call = session.call(AdminStatement.SHOW_WORK)) {
            return call.consumer(consumer)
                    .key(key)
                    .first(row ->
                            new Found<>(call.rows.work(row), MessageColumns.read(row, AdminRows.MESSAGE_AFTER_WORK)));
        }
    }

    private static @Nullable Found<DeadLetterEntry> letter(
            AdminDatabase.Session session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (AdminCall call = session.call(AdminStatement.SHOW_LETTER)) {
            return call.consumer(consumer)
                    .key(key)
                    .first(row -> new Found<>(
                            call.rows.letter(row), MessageColumns.read(row, AdminRows.MESSAGE_AFTER_LETTER)));
        }
    }

    private static @Nullable Processed processed(
            AdminDatabase.Session session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        return session.inHistory(call -> call.consumer(consumer)
                .key(key)
                .first(row ->
                        new Processed(call.rows.instant(row, 1), row.getBoolean(2), MessageColumns.read(row, 3))));
    }

    private static @Nullable Instant accepted(
            AdminDatabase.Session session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (AdminCall call = session.call(AdminStatement.SHOW_ACCEPTED)) {
            return call.consumer(consumer).key(key).first(row -> call.rows.instant(row, 1));
        }
    }

    private static List<AttemptEntry> attempts(
            AdminDatabase.Session session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (AdminCall call = session.call(AdminStatement.SHOW_ATTEMPTS)) {
            return call.consumer(consumer)
                    .key(key)
                    .count(MessageDetails.MOST_ATTEMPTS)
                    .all(call.rows::attempt);
        }
    }

    List<BlockedKey> blockedKeys(String name, int limit) {
        return database.look("the blocked keys", session -> {
            RegisteredConsumer consumer = consumer(session, name);
            try (AdminCall call = session.call(AdminStatement.BLOCKED_KEYS)) {
                return call.consumer(consumer)
                        .consumer(consumer)
                        .now()
                        .count(limit)
                        .all(call.rows::blockedKey);
            }
        });
    }

    Page<AuditEntry> audit(String name, PageRequest page) {
        return database.look("the audit", session -> {
            RegisteredConsumer consumer = consumer(session, name);
            Cursor before = page.after();
            try (AdminCall call = session.call(AdminStatement.AUDIT)) {
                call.text(consumer.name())
                        .id(before == null ? Long.MAX_VALUE : before.id())
                        .count(page.limit() + 1);
                return Page.of(call.all(call.rows::audit), page.limit(), entry -> new Cursor(entry.at(), entry.id()));
            }
        });
    }

    /** The latest, the first of them first. */
    private static List<AuditEntry> audit(AdminDatabase.Session session, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        try (AdminCall call = session.call(AdminStatement.AUDIT_OF_MESSAGE)) {
            List<AuditEntry> entries = call.text(consumer.name())
                    .key(key)
                    .count(MessageDetails.MOST_CHANGES)
                    .all(call.rows::audit);
            Collections.reverse(entries);
            return entries;
        }
    }
}
