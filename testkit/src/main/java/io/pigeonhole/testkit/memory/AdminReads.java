package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AttemptEntry;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.BlockedKey;
import io.pigeonhole.core.admin.ConsumerSummary;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.MessageLabel;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.Page;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks at messages, each time at one moment. */
final class AdminReads {
    private final Tables tables;
    private final Consumers consumers;

    AdminReads(Tables tables, Consumers consumers) {
        this.tables = tables;
        this.consumers = consumers;
    }

    List<ConsumerSummary> consumers() {
        return tables.read(all -> consumers.all().stream().map(this::summary).toList());
    }

    private ConsumerSummary summary(RegisteredConsumer consumer) {
        List<WorkRow> work = tables.inOrder(consumer.id());
        List<LetterRow> letterRows = tables.letterRows.values().stream()
                .filter(letterRow -> letterRow.row().consumer() == consumer.id())
                .toList();
        Instant now = tables.now();
        Duration overdue = work.stream()
                .filter(row -> row.isDue(now))
                .map(WorkRow::due)
                .min(Comparator.naturalOrder())
                .map(due -> Duration.between(due, now))
                .orElse(null);
        return new ConsumerSummary(
                consumer,
                tables.paused.contains(consumer.id()),
                count(work, MessageStatus.RECEIVED),
                count(work, MessageStatus.PARKED),
                count(work, MessageStatus.LEASED),
                letterRows.size(),
                letterRows.stream().filter(LetterRow::blocks).count(),
                overdue);
    }

    private static long count(List<WorkRow> work, MessageStatus status) {
        return work.stream().filter(row -> row.status() == status).count();
    }

    Page<WorkEntry> work(WorkFilter filter, PageRequest page) {
        return tables.read(all -> {
            Cursor after = page.after();
            List<WorkEntry> found = all
                    .inOrder(consumers.require(filter.consumer()).id())
                    .stream()
                    .filter(row -> after == null || row.id() > after.id())
                    .filter(row -> filter.status() == null || filter.status() == row.status())
                    .filter(row -> isLike(
                            row.message(),
                            row.lastError(),
                            filter.type(),
                            filter.source(),
                            filter.orderingKey(),
                            filter.errorContains()))
                    .filter(row -> isWithin(row.received(), filter.since(), filter.until()))
                    .limit(page.limit() + 1L)
                    .map(AdminReads::entry)
                    .toList();
            return Page.of(found, page.limit(), entry -> new Cursor(entry.receivedAt(), entry.id()));
        });
    }

    /** The letters of a filter, in no special order. */
    static Stream<LetterRow> letters(Tables tables, RegisteredConsumer consumer, DeadLetterFilter filter) {
        return tables.letterRows.values().stream()
                .filter(letterRow -> letterRow.row().consumer() == consumer.id())
                .filter(letterRow -> filter.reason() == null
                        || filter.reason() == letterRow.letter().reason())
                .filter(letterRow -> isLike(
                        letterRow.letter().message(),
                        letterRow.letter().detail(),
                        filter.type(),
                        filter.source(),
                        filter.orderingKey(),
                        filter.errorContains()))
                .filter(letterRow -> isWithin(letterRow.died(), filter.since(), filter.until()));
    }

    private static boolean isLike(
            Message message,
            @Nullable String error,
            @Nullable String type,
            @Nullable String source,
            @Nullable OrderingKey orderingKey,
            @Nullable String part) {
        return (type == null || type.equals(message.type()))
                && (source == null || source.equals(message.source()))
                && (orderingKey == null || orderingKey.equals(OrderingKey.of(message)))
                && (part == null
                        || (error != null && error.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT))));
    }

    private static boolean isWithin(Instant time, @Nullable Instant since, @Nullable Instant until) {
        return (since == null || !time.isBefore(since)) && (until == null || time.isBefore(until));
    }

    Page<DeadLetterEntry> deadLetters(DeadLetterFilter filter, PageRequest page) {
        return tables.read(all -> {
            Cursor before = page.after();
            List<DeadLetterEntry> found = letters(all, consumers.require(filter.consumer()), filter)
                    .filter(letterRow -> before == null || letterRow.isBefore(before))
                    .sorted(LetterRow.BY_DEATH.reversed())
                    .limit(page.limit() + 1L)
                    .map(AdminReads::entry)
                    .toList();
            return Page.of(found, page.limit(), letter -> new Cursor(letter.diedAt(), letter.id()));
        });
    }

    Selection select(DeadLetterFilter filter, @Nullable Instant cutoff) {
        return tables.read(all -> {
            Instant until = cutoff == null ? all.now() : cutoff;
            long count = letters(all, consumers.require(filter.consumer()), filter)
                    .filter(letterRow -> !letterRow.died().isAfter(until))
                    .count();
            return new Selection(filter, until, count);
        });
    }

    Optional<MessageDetails> show(String name, MessageKey key) {
        return tables.read(all -> {
            RegisteredConsumer consumer = consumers.require(name);
            Row row = new Row(consumer.id(), key);
            WorkRow work = all.work.get(row);
            LetterRow letterRow = all.letterRows.get(row);
            Finished finished = all.history.stream()
                    .filter(line -> line.consumer() == consumer.id()
                            && line.message().key().equals(key))
                    .reduce((one, other) -> other)
                    .orElse(null);
            Accepted accepted = all.ledger.get(row);
            Message message = work != null
                    ? work.message()
                    : letterRow != null
                            ? letterRow.letter().message()
                            : finished != null ? finished.message().message() : null;
            boolean kept = work != null || letterRow != null;
            return MessageDetails.of(
                    name,
                    key,
                    message,
                    kept || (finished != null && finished.message().withPayload()),
                    work == null ? null : entry(work),
                    letterRow == null ? null : entry(letterRow),
                    accepted == null ? null : accepted.at(),
                    finished == null ? null : finished.at(),
                    latest(attempts(row), MessageDetails.MOST_ATTEMPTS),
                    latest(
                            all.audit.stream()
                                    .filter(entry -> entry.consumer().equals(name) && key.equals(entry.key()))
                                    .toList(),
                            MessageDetails.MOST_CHANGES));
        });
    }

    private List<AttemptEntry> attempts(Row row) {
        return tables.attempts.stream()
                .filter(attempt -> attempt.row().equals(row))
                .map(Attempt::entry)
                .toList();
    }

    private static <T> List<T> latest(List<T> entries, int most) {
        return entries.subList(Math.max(0, entries.size() - most), entries.size());
    }

    List<BlockedKey> blockedKeys(String name, int limit) {
        return tables.read(all -> {
            RegisteredConsumer consumer = consumers.require(name);
            Map<OrderingKey, List<WorkRow>> work = new LinkedHashMap<>();
            all.inOrder(consumer.id()).stream()
                    .filter(WorkRow::ordered)
                    .forEach(row -> work.computeIfAbsent(keyOf(row.message()), key -> new ArrayList<>())
                            .add(row));
            Map<OrderingKey, LetterRow> letters = new LinkedHashMap<>();
            all.letterRows.values().stream()
                    .filter(letterRow -> letterRow.row().consumer() == consumer.id() && letterRow.blocks())
                    .sorted(Comparator.comparingLong(LetterRow::id))
                    .forEach(letterRow ->
                            letters.putIfAbsent(keyOf(letterRow.letter().message()), letterRow));
            letters.keySet().forEach(key -> work.computeIfAbsent(key, none -> new ArrayList<>()));
            return work.entrySet().stream()
                    .flatMap(entry -> blocked(entry.getKey(), entry.getValue(), letters.get(entry.getKey())).stream())
                    .sorted(Comparator.comparingLong(BlockedKey::waiting).reversed())
                    .limit(limit)
                    .toList();
        });
    }

    private Optional<BlockedKey> blocked(OrderingKey key, List<WorkRow> work, @Nullable LetterRow letter) {
        if (letter != null && (work.isEmpty() || letter.id() < work.get(0).id())) {
            DeadLetter dead = letter.letter();
            String error = dead.reason() + ": " + dead.detail();
            return Optional.of(new BlockedKey(key, letter.row().key(), MessageStatus.DEAD, null, error, work.size()));
        }
        WorkRow head = work.get(0);
        if (head.status() == MessageStatus.RECEIVED && head.isDue(tables.now())) {
            return Optional.empty();
        }
        return Optional.of(
                new BlockedKey(key, head.row().key(), head.status(), head.due(), head.lastError(), work.size() - 1L));
    }

    private static OrderingKey keyOf(Message message) {
        OrderingKey key = OrderingKey.of(message);
        if (key == null) {
            throw new IllegalStateException(message + " has no ordering key");
        }
        return key;
    }

    Page<AuditEntry> audit(String name, PageRequest page) {
        return tables.read(all -> {
            consumers.require(name);
            Cursor before = page.after();
            List<AuditEntry> found = all.audit.stream()
                    .filter(entry -> entry.consumer().equals(name))
                    .filter(entry -> before == null || entry.id() < before.id())
                    .sorted(Comparator.comparingLong(AuditEntry::id).reversed())
                    .limit(page.limit() + 1L)
                    .toList();
            return Page.of(found, page.limit(), entry -> new Cursor(entry.at(), entry.id()));
        });
    }

    private static MessageLabel label(MessageKey key, Message message) {
        return new MessageLabel(
                key,
                message.source(),
                message.id(),
                message.type(),
                OrderingKey.of(message),
                message.origin(),
                message.isTombstone() ? MessageLabel.TOMBSTONE : message.payload().length);
    }

    private static WorkEntry entry(WorkRow row) {
        WorkRow.Lease lease = row.lease();
        return new WorkEntry(
                row.id(),
                label(row.row().key(), row.message()),
                row.status(),
                row.attempts(),
                row.due(),
                lease == null ? null : lease.owner(),
                lease == null ? null : lease.until(),
                row.received(),
                row.lastError());
    }

    private static DeadLetterEntry entry(LetterRow letterRow) {
        DeadLetter letter = letterRow.letter();
        return new DeadLetterEntry(
                letterRow.id(),
                label(letterRow.row().key(), letter.message()),
                letter.reason(),
                letter.detail(),
                letter.claimed(),
                letterRow.blocks(),
                letterRow.attempts(),
                letterRow.seenAgain(),
                letterRow.received(),
                letterRow.died());
    }
}
