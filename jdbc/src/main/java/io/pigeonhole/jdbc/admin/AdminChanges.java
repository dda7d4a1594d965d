package io.pigeonhole.jdbc.admin;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.jdbc.sql.AdminRows;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ConsumerStatement;
import io.pigeonhole.jdbc.sql.MessageColumns;
import io.pigeonhole.jdbc.sql.MessageStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Changes one message, or one consumer. */
public final class AdminChanges {
    private final AdminDatabase database;

    public AdminChanges(AdminDatabase database) {
        this.database = database;
    }

    private Answer run(String doing, String consumer, Author by, AuditedChange.Work<Answer> work) {
        return AuditedChange.run(database, doing, consumer, by, work).orElseGet(Answers::busy);
    }

    /** A message in work, locked. */
    private record Locked(
            long id,
            MessageStatus status,
            boolean waits,
            @Nullable String owner,
            int attempts,
            String source,
            @Nullable MessageId messageId,
            @Nullable String lastError,
            Duration leased) {
        /** As it is when it is locked: somebody may have had the row until then. */
        static @Nullable Locked find(AuditedChange change, MessageKey key) throws SQLException {
            AdminSession session = change.session();
            try (Call call = change.call(AdminStatement.LOCK_WORK)) {
                return call.consumer(change.consumer()).key(key).first(row -> read(session.rows(), row, session.now()));
            }
        }

        private static Locked read(AdminRows rows, ResultSet row, Instant now) throws SQLException {
            Instant leasedAt = rows.instantOrNull(row, 9);
            byte[] id = row.getBytes(7);
            return new Locked(
                    row.getLong(1),
                    AdminRows.status(row.getString(2)),
                    rows.instant(row, 3).isAfter(now),
                    row.getString(4),
                    row.getInt(5),
                    row.getString(6),
                    id == null ? null : MessageId.of(id),
                    row.getString(8),
                    leasedAt == null || leasedAt.isAfter(now) ? Duration.ZERO : Duration.between(leasedAt, now));
        }

        boolean isLeased() {
            return status == MessageStatus.LEASED;
        }

        String leaseHolder() {
            return Objects.requireNonNullElse(owner, "an unknown node");
        }

        String describe() {
            return Answers.ofWork(status, source, messageId, attempts, lastError);
        }
    }

    public Answer retryNow(String consumer, MessageKey key, Author by) {
        return run("to retry a message", consumer, by, change -> {
            Locked found = Locked.find(change, key);
            if (found == null) {
                return Answers.notInWork(key);
            }
            if (found.isLeased()) {
                return Answers.leasedBy(found.leaseHolder());
            }
            if (!found.waits()) {
                return Answers.isDue();
            }
            try (Call call = change.call(AdminStatement.RETRY_NOW)) {
                call.now().number("id", found.id()).changeLocked();
            }
            change.audit(AdminAction.RETRY_NOW, key, found.describe(), 1);
            return Answer.done("the message is due");
        });
    }

    public Answer releaseLease(String consumer, MessageKey key, Author by) {
        return run("to release a lease", consumer, by, change -> {
            Locked found = Locked.find(change, key);
            if (found == null) {
                return Answers.notInWork(key);
            }
            if (!found.isLeased()) {
                return Answers.notLeased();
            }
            FailedAttempt attempt = Answers.released(found.leaseHolder(), by, found.attempts(), found.leased());
            try (Call call = change.call(AdminStatement.RELEASE_LEASE)) {
                call.now()
                        .text("error", MessageColumns.describe(attempt))
                        .number("id", found.id())
                        .changeLocked();
            }
            try (Call call = change.session().call(MessageStatement.ADD_ATTEMPT)) {
                call.consumer(change.consumer())
                        .key(key)
                        .instant("started", change.session().now().minus(attempt.duration()))
                        .attempt(attempt)
                        .change();
            }
            change.audit(AdminAction.RELEASE_LEASE, key, found.describe(), 1);
            return Answer.done("the lease of '" + found.leaseHolder() + "' is released; the message is due");
        });
    }

    /** A dead letter, locked. */
    private record Letter(long id, String description) {
        /** Its id, not locked. */
        static @Nullable Long id(AuditedChange change, MessageKey key) throws SQLException {
            try (Call call = change.call(AdminStatement.ONE_LETTER)) {
                return call.consumer(change.consumer()).key(key).first(row -> row.getLong(1));
            }
        }

        /** As it is when it is locked; null where it is gone, or another one of its key has come in its place. */
        static @Nullable Letter lock(AuditedChange change, MessageKey key, long id) throws SQLException {
            try (Call call = change.call(AdminStatement.LOCK_LETTER)) {
                return call.number("id", id)
                        .consumer(change.consumer())
                        .key(key)
                        .first(Letter::read);
            }
        }

        private static Letter read(ResultSet row) throws SQLException {
            byte[] id = row.getBytes(6);
            return new Letter(
                    row.getLong(1),
                    Answers.ofLetter(
                            row.getString(2),
                            row.getString(3),
                            row.getBoolean(4),
                            row.getString(5),
                            id == null ? null : MessageId.of(id)));
        }
    }

    /**
     * A requeue that is committed behind the look in work takes the letter away from the look for it. So a message is nowhere only
     * where two looks in both places, one after the other, have not found it.
     */
    public Answer discard(String consumer, MessageKey key, Author by) {
        return run("to discard a message", consumer, by, change -> {
            boolean missed = false;
            for (int tries = 0; tries < AuditedChange.MOST_TRIES; tries++) {
                Locked found = Locked.find(change, key);
                if (found != null) {
                    change.delete(MessageStatement.DELETE_FROM_WORK, found.id());
                    change.audit(AdminAction.DISCARD, key, found.describe(), 1);
                    return Answer.done("discarded from work");
                }
                Long id = Letter.id(change, key);
                Letter letter = id == null ? null : Letter.lock(change, key, id);
                if (letter != null) {
                    change.delete(MessageStatement.DELETE_DEAD_LETTER, letter.id());
                    change.audit(AdminAction.DISCARD, key, letter.description(), 1);
                    return Answer.done("discarded from the dead letters");
                }
                if (id == null && missed) {
                    return Answers.nowhere(key);
                }
                missed = id == null;
            }
            return Answers.busy();
        });
    }

    /** The first of a key's messages. */
    private record Head(long id, MessageKey key, boolean dead) {}

    /** Under the lock of the work partition nothing comes before the head that was found. */
    public Answer unblock(String consumer, OrderingKey orderingKey, Author by) {
        return run("to unblock an ordering key", consumer, by, change -> {
            int workPartition =
                    OrderingKey.partition(orderingKey.bytes(), change.consumer().workPartitions());
            change.session().operations().lockWorkPartitions(change.consumer(), List.of(workPartition));
            Head head = head(change, workPartition, orderingKey);
            if (head == null) {
                return Answers.notBlocked();
            }
            if (head.dead()) {
                if (change.change(AdminStatement.STOP_BLOCKING, head.id()) == 0) {
                    return Answers.busy();
                }
                change.audit(AdminAction.UNBLOCK, head.key(), Answers.ofUnblock(orderingKey, "dead letter"), 1);
                return Answer.done("the dead letter " + head.key() + " blocks no longer");
            }
            Locked found = Locked.find(change, head.key());
            if (found == null) {
                return Answers.busy();
            }
            if (found.isLeased()) {
                return Answers.leasedBy(found.leaseHolder());
            }
            if (found.status() == MessageStatus.RECEIVED && !found.waits()) {
                return Answers.waitsForAWorker(head.key());
            }
            String detail = AuditedChange.bounded(Answers.ofSkip(by, found.lastError()));
            change.session().operations().skip(change.consumer(), head.key(), found.id(), detail);
            change.audit(AdminAction.UNBLOCK, head.key(), Answers.ofUnblock(orderingKey, found.describe()), 1);
            return Answer.done("the message " + head.key() + " is a dead letter that does not block");
        });
    }

    private static @Nullable Head head(AuditedChange change, int workPartition, OrderingKey orderingKey)
            throws SQLException {
        try (Call call = change.call(AdminStatement.HEAD)) {
            AdminRows rows = change.session().rows();
            return call.consumer(change.consumer())
                    .number("work_partition", workPartition)
                    .orderingKey(orderingKey)
                    .first(row -> new Head(row.getLong(1), rows.key(row, 2), row.getBoolean(3)));
        }
    }

    public Answer pause(String consumer, boolean paused, Author by) {
        return run(paused ? "to pause a consumer" : "to resume a consumer", consumer, by, change -> {
            try (Call call = change.call(AdminStatement.PAUSE)) {
                if (call.flag("paused", paused).consumer(change.consumer()).change() == 0) {
                    requirePaused(change, paused);
                    return Answers.isPaused(paused);
                }
            }
            change.audit(paused ? AdminAction.PAUSE : AdminAction.RESUME, null, "", 1);
            return Answer.done(paused ? "paused on all nodes" : "resumed on all nodes");
        });
    }

    /** Where no row was changed for that reason; a statement that was cancelled may say so too. */
    private static void requirePaused(AuditedChange change, boolean paused) throws SQLException {
        try (Call call = change.session().call(ConsumerStatement.IS_PAUSED)) {
            if (!Boolean.valueOf(paused).equals(call.consumer(change.consumer()).first(row -> row.getBoolean(1)))) {
                throw Call.tooFewChanged(0, 1);
            }
        }
    }

    /** Whether all watermarks of the consumer were changed. */
    private static void requireAll(AuditedChange change, int changed) throws SQLException {
        try (Call call = change.call(AdminStatement.COUNT_WATERMARKS)) {
            Integer there = call.consumer(change.consumer()).first(row -> row.getInt(1));
            if (there == null || there != changed) {
                throw Call.tooFewChanged(changed, there == null ? 0 : there);
            }
        }
    }

    public Answer deduplicateBy(String consumer, Deduplication deduplication, Author by) {
        return run("to change how a consumer deduplicates", consumer, by, change -> {
            Deduplication before = change.consumer().deduplication();
            Answer refusal = Answers.judge(before, deduplication);
            if (refusal != null) {
                return refusal;
            }
            try (Call call = change.call(AdminStatement.DEDUPLICATE)) {
                if (call.text("deduplication", deduplication.name())
                                .consumer(change.consumer())
                                .text("before", before.name())
                                .change()
                        == 0) {
                    requirePaused(change, false);
                    return Answers.notPaused();
                }
            }
            try (Call call = change.call(
                    deduplication.needsLog() ? AdminStatement.TAKE_PARTITIONS_AWAY : AdminStatement.RESET_WATERMARKS)) {
                requireAll(change, call.now().consumer(change.consumer()).change());
            }
            String what = Answers.ofDeduplication(before, deduplication);
            change.audit(AdminAction.DEDUPLICATE, null, what, 1);
            return Answer.done(what);
        });
    }

    public Answer forgetWatermarks(String consumer, String source, Author by) {
        return run("to forget watermarks", consumer, by, change -> {
            int forgotten;
            try (Call call = change.call(AdminStatement.FORGET_WATERMARKS)) {
                forgotten = call.now()
                        .consumer(change.consumer())
                        .text("source", source)
                        .change();
            }
            if (forgotten == 0) {
                return Answers.noWatermarks(source);
            }
            change.audit(AdminAction.FORGET_WATERMARKS, null, source, forgotten);
            return Answer.done("forgotten: " + forgotten + " positions");
        });
    }
}
