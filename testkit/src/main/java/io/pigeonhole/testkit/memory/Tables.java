package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.core.store.WorkItem;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is committed, and who holds what. Everything is read and written under one lock. */
final class Tables {
    private static final MessageKey SMALLEST = new MessageKey(0, 0);

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    final Locks locks = new Locks(lock.newCondition());
    final Map<Row, Accepted> ledger = new LinkedHashMap<>();
    final Map<Row, WorkRow> work = new LinkedHashMap<>();
    final Map<Row, LetterRow> letterRows = new LinkedHashMap<>();
    final List<Finished> history = new ArrayList<>();
    final List<Attempt> attempts = new ArrayList<>();
    final List<AuditEntry> audit = new ArrayList<>();
    final Set<Short> paused = new HashSet<>();
    final Marks marks = new Marks();
    final OutboxTable outbox = new OutboxTable();
    MessageKey oldest = SMALLEST;
    MessageKey newest = MessageKey.FIRST_DIGEST;
    private long lastPlace;

    final Map<String, ReplayProgress> replays = new LinkedHashMap<>();
    final List<MemoryReplays.SkippedRow> skipped = new ArrayList<>();
    final Map<LocalDate, Long> exported = new HashMap<>();
    final String id = UUID.randomUUID().toString();
    private long lastInHistory;
    private long lastInAudit;

    RetentionClock retentionClock;
    long lookedAt = System.nanoTime();

    Tables(Clock clock) {
        this.clock = clock;
        this.retentionClock = RetentionClock.confirmed(clock.instant());
    }

    Instant now() {
        return clock.instant();
    }

    /** The next place in the order of arrival. As with a sequence, a rollback does not give it back. */
    long nextPlace() {
        return ++lastPlace;
    }

    /** The next place in the history, taken at a commit. */
    long nextInHistory() {
        return ++lastInHistory;
    }

    /** Notes a change that somebody makes. What is deleted does not give its number back. */
    void note(
            Author by,
            AdminAction action,
            RegisteredConsumer consumer,
            @Nullable MessageKey key,
            String detail,
            long affected) {
        note(by, action, consumer.name(), key, detail, affected);
    }

    /** The same of what is not about a consumer: then its name is empty. */
    void note(Author by, AdminAction action, String consumer, @Nullable MessageKey key, String detail, long affected) {
        audit.add(new AuditEntry(++lastInAudit, now(), by, action, consumer, key, detail, affected));
    }

    boolean isOutsideBounds(MessageKey key) {
        return key.isTimeForm() && (key.compareTo(oldest) < 0 || key.compareTo(newest) >= 0);
    }

    /** The ledger's days before the ledger's bounds are dropped; work and dead letters stay. */
    void moveBounds(MessageKey from, MessageKey to) {
        oldest = from;
        newest = to;
        ledger.keySet().removeIf(row -> row.key().compareTo(oldest) < 0);
    }

    /** The keys that are accepted and neither in work nor dead. */
    Set<MessageKey> processed(short consumer) {
        Set<MessageKey> keys = new LinkedHashSet<>();
        for (Row row : ledger.keySet()) {
            if (row.consumer() == consumer && !work.containsKey(row) && !letterRows.containsKey(row)) {
                keys.add(row.key());
            }
        }
        return keys;
    }

    List<ParkedMessage> parked(short consumer) {
        Instant now = now();
        List<ParkedMessage> parked = new ArrayList<>();
        for (WorkRow row : inOrder(consumer)) {
            FailedAttempt failed = row.failed();
            if (failed != null && row.lease() == null) {
                parked.add(row.parked(failed, now));
            }
        }
        return parked;
    }

    List<WorkItem> work(short consumer) {
        Instant now = now();
        return inOrder(consumer).stream().map(row -> row.item(now)).toList();
    }

    List<WorkRow> inOrder(short consumer) {
        return work.values().stream()
                .filter(row -> row.row().consumer() == consumer)
                .sorted(Comparator.comparingLong(WorkRow::id))
                .toList();
    }

    List<DeadLetter> deadLetters(short consumer) {
        return letterRows.values().stream()
                .filter(letterRow -> letterRow.row().consumer() == consumer)
                .map(LetterRow::letter)
                .toList();
    }

    List<FinishedMessage> history(short consumer) {
        return history.stream()
                .filter(finished -> finished.consumer() == consumer)
                .map(Finished::message)
                .toList();
    }

    void write(Consumer<Tables> change) {
        lock.lock();
        try {
            change.accept(this);
        } finally {
            lock.unlock();
        }
    }

    <R> R read(Function<Tables, R> question) {
        lock.lock();
        try {
            return question.apply(this);
        } finally {
            lock.unlock();
        }
    }
}
