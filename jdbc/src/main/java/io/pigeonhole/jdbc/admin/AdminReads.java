package io.pigeonhole.jdbc.admin;

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
import io.pigeonhole.jdbc.sql.AdminRows;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageColumns;
import io.pigeonhole.jdbc.sql.Values;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks at messages, each time in a transaction that sees one moment. */
public final class AdminReads {
    private final AdminDatabase database;

    public AdminReads(AdminDatabase database) {
        this.database = database;
    }

    /** The consumer of a name, for those who did not register it. */
    public static RegisteredConsumer consumer(AdminSession session, String name) throws SQLException {
        try (Call call = session.call(AdminStatement.CONSUMER)) {
            RegisteredConsumer found = call.text("name", name).first(AdminRows::consumer);
            if (found != null) {
                return found;
            }
        }
        throw new UnknownConsumerException(name, names(session));
    }

    private static List<String> names(AdminSession session) throws SQLException {
        try (Call call = session.call(AdminStatement.ALL_CONSUMERS)) {
            return call.all(row -> AdminRows.consumer(row).name());
        }
    }

    public List<ConsumerSummary> consumers() {
        return database.look("the consumers", session -> {
            try (Call call = session.call(AdminStatement.SUMMARIES)) {
                Instant now = session.now();
                return call.all(row -> session.rows().summary(row, now));
            }
        });
    }

    public Page<WorkEntry> work(WorkFilter filter, PageRequest page) {
        return database.look("work", session -> {
            RegisteredConsumer consumer = consumer(session, filter.consumer());
            Cursor after = page.after();
            try (Call call = session.call(AdminStatement.WORK)) {
                call.consumer(consumer)
                        .text(
                                "status",
                                filter.status() == null
                                        ? null
                                        : filter.status().name().toLowerCase(Locale.ROOT))
                        .text("type", filter.type())
                        .text("source", filter.source())
                        .bytes("ordering_key", bytes(filter.orderingKey()))
                        .text("error", filter.errorContains())
                        .between(filter.since(), filter.until())
                        .number("after", after == null ? Long.MIN_VALUE : after.id())
                        .number("limit", page.limit() + 1);
                return Page.of(
                        call.all(session.rows()::work),
                        page.limit(),
                        entry -> new Cursor(entry.receivedAt(), entry.id()));
            }
        });
    }

    public Page<DeadLetterEntry> deadLetters(DeadLetterFilter filter, PageRequest page) {
        return database.look("dead letters", session -> {
            RegisteredConsumer consumer = consumer(session, filter.consumer());
            try (Call call = session.call(AdminStatement.DEAD_LETTERS)) {
                Cursor before = page.after();
                bind(call, consumer, filter)
                        .instant("before_at", before == null ? Values.LATEST : before.at())
                        .number("before_id", before == null ? Long.MAX_VALUE : before.id())
                        .number("limit", page.limit() + 1);
                return Page.of(
                        call.all(session.rows()::letter),
                        page.limit(),
                        letter -> new Cursor(letter.diedAt(), letter.id()));
            }
        });
    }

    /** Binds a filter of dead letters. */
    static Call bind(Call call, RegisteredConsumer consumer, DeadLetterFilter filter) throws SQLException {
        return call.consumer(consumer)
                .text("reason", filter.reason() == null ? null : filter.reason().name())
                .text("type", filter.type())
                .text("source", filter.source())
                .bytes("ordering_key", bytes(filter.orderingKey()))
                .text("error", filter.errorContains())
                .between(filter.since(), filter.until());
    }

    private static byte @Nullable [] bytes(@Nullable OrderingKey key) {
        return key == null ? null : key.bytes();
    }

    public Selection select(DeadLetterFilter filter, @Nullable Instant cutoff) {
        return database.look("how many dead letters there are", session -> {
            RegisteredConsumer consumer = consumer(session, filter.consumer());
            Instant until = cutoff == null ? session.now() : cutoff;
            try (Call call = session.call(AdminStatement.COUNT_LETTERS)) {
                Long count =
                        bind(call, consumer, filter).instant("cutoff", until).first(row -> row.getLong(1));
                return new Selection(filter, until, Objects.requireNonNull(count));
            }
        });
    }

    public Optional<MessageDetails> show(String consumer, MessageKey key) {
        return database.look("a message", session -> show(session, consumer(session, consumer), key));
    }

    /** What a row says of a message besides its entry. */
    private record Found<T>(T entry, Message message) {}

    /** A line of the history. */
    private record Processed(Instant at, boolean withPayload, Message message) {}

    private static Optional<MessageDetails> show(AdminSession session, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
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

    private static @Nullable Found<WorkEntry> work(AdminSession session, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        try (Call call = session.call(AdminStatement.SHOW_WORK)) {
            return call.consumer(consumer)
                    .key(key)
                    .first(row -> new Found<>(
                            session.rows().work(row), MessageColumns.read(row, AdminRows.MESSAGE_AFTER_WORK)));
        }
    }

    private static @Nullable Found<DeadLetterEntry> letter(
            AdminSession session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (Call call = session.call(AdminStatement.SHOW_LETTER)) {
            return call.consumer(consumer)
                    .key(key)
                    .first(row -> new Found<>(
                            session.rows().letter(row), MessageColumns.read(row, AdminRows.MESSAGE_AFTER_LETTER)));
        }
    }

    private static @Nullable Processed processed(AdminSession session, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        return session.operations()
                .inHistory(call -> call.consumer(consumer)
                        .key(key)
                        .first(row -> new Processed(
                                session.rows().instant(row, 1), row.getBoolean(2), MessageColumns.read(row, 3))));
    }

    private static @Nullable Instant accepted(AdminSession session, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        try (Call call = session.call(AdminStatement.SHOW_ACCEPTED)) {
            return call.consumer(consumer).key(key).first(row -> session.rows().instant(row, 1));
        }
    }

    private static List<AttemptEntry> attempts(AdminSession session, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        try (Call call = session.call(AdminStatement.SHOW_ATTEMPTS)) {
            return call.consumer(consumer)
                    .key(key)
                    .number("limit", MessageDetails.MOST_ATTEMPTS)
                    .all(session.rows()::attempt);
        }
    }

    public List<BlockedKey> blockedKeys(String name, int limit) {
        return database.look("the blocked keys", session -> {
            RegisteredConsumer consumer = consumer(session, name);
            try (Call call = session.call(AdminStatement.BLOCKED_KEYS)) {
                return call.consumer(consumer).now().number("limit", limit).all(session.rows()::blockedKey);
            }
        });
    }

    public Page<AuditEntry> audit(String name, PageRequest page) {
        return database.look("the audit", session -> {
            RegisteredConsumer consumer = consumer(session, name);
            Cursor before = page.after();
            try (Call call = session.call(AdminStatement.AUDIT)) {
                call.text("name", consumer.name())
                        .number("before", before == null ? Long.MAX_VALUE : before.id())
                        .number("limit", page.limit() + 1);
                return Page.of(
                        call.all(session.rows()::audit), page.limit(), entry -> new Cursor(entry.at(), entry.id()));
            }
        });
    }

    /** The latest, the first of them first. */
    private static List<AuditEntry> audit(AdminSession session, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        try (Call call = session.call(AdminStatement.AUDIT_OF_MESSAGE)) {
            List<AuditEntry> entries = call.text("name", consumer.name())
                    .key(key)
                    .number("limit", MessageDetails.MOST_CHANGES)
                    .all(session.rows()::audit);
            Collections.reverse(entries);
            return entries;
        }
    }
}
