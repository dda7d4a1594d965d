package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.DeadReason;
import io.pigeonhole.core.store.FailedAttempt;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Changes one message, or one consumer. */
final class AdminChanges {
    private final ConnectionSource connections;

    AdminChanges(ConnectionSource connections) {
        this.connections = connections;
    }

    private Answer run(String doing, String consumer, Author by, AdminErrand.Work<Answer> work) {
        return AdminErrand.run(connections, doing, consumer, by, work).orElseGet(Answers::busy);
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
        static @Nullable Locked find(AdminErrand errand, MessageKey key) throws SQLException {
            return errand.ask(AdminChangeStatements.LOCK_WORK, key, Locked::read);
        }

        private static Locked read(ResultSet row) throws SQLException {
            byte[] id = row.getBytes(7);
            return new Locked(
                    row.getLong(1),
                    AdminRows.status(row.getString(2)),
                    row.getBoolean(3),
                    row.getString(4),
                    row.getInt(5),
                    row.getString(6),
                    id == null ? null : MessageId.of(id),
                    row.getString(8),
                    Duration.ofMillis(row.getLong(9)));
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

    Answer retryNow(String consumer, MessageKey key, Author by) {
        return run("to retry a message", consumer, by, errand -> {
            Locked found = Locked.find(errand, key);
            if (found == null) {
                return Answers.notInWork(key);
            }
            if (found.isLeased()) {
                return Answers.leasedBy(found.leaseHolder());
            }
            if (!found.waits()) {
                return Answers.isDue();
            }
            errand.change(AdminChangeStatements.RETRY_NOW, found.id());
            errand.audit(AdminAction.RETRY_NOW, key, found.describe(), 1);
            return Answer.done("the message is due");
        });
    }

    Answer releaseLease(String consumer, MessageKey key, Author by) {
        return run("to release a lease", consumer, by, errand -> {
            Locked found = Locked.find(errand, key);
            if (found == null) {
                return Answers.notInWork(key);
            }
            if (!found.isLeased()) {
                return Answers.notLeased();
            }
            FailedAttempt attempt = Answers.released(found.leaseHolder(), by, found.attempts(), found.leased());
            try (PreparedStatement statement =
                    errand.connection().prepareStatement(AdminChangeStatements.RELEASE_LEASE)) {
                statement.setString(1, MessageColumns.describe(attempt));
                statement.setLong(2, found.id());
                statement.executeUpdate();
            }
            try (PreparedStatement statement =
                    errand.connection().prepareStatement(AdminChangeStatements.NOTE_ATTEMPT)) {
                statement.setShort(1, errand.consumer().id());
                statement.setObject(2, key.toUuid());
                MessageColumns.bindAttempt(statement, 3, attempt);
                statement.executeUpdate();
            }
            errand.audit(AdminAction.RELEASE_LEASE, key, found.describe(), 1);
            return Answer.done("the lease of '" + found.leaseHolder() + "' is released; the message is due");
        });
    }

    /** A dead letter, locked. */
    private record Letter(long id, String description) {
        static Letter read(ResultSet row) throws SQLException {
            byte[] id = row.getBytes(6);
            return new Letter(
                    row.getLong(1),
                    Answers.ofLetter(
                            DeadReason.valueOf(row.getString(2)),
                            row.getString(3),
                            row.getBoolean(4),
                            row.getString(5),
                            id == null ? null : MessageId.of(id)));
        }
    }

    Answer discard(String consumer, MessageKey key, Author by) {
        return run("to discard a message", consumer, by, errand -> {
            Locked found = Locked.find(errand, key);
            if (found != null) {
                errand.change(AdminChangeStatements.DISCARD_WORK, found.id());
                errand.audit(AdminAction.DISCARD, key, found.describe(), 1);
                return Answer.done("discarded from work");
            }
            Letter letter = errand.ask(AdminChangeStatements.LOCK_LETTER, key, Letter::read);
            if (letter == null) {
                return Answers.nowhere(key);
            }
            try (PreparedStatement statement =
                    errand.connection().prepareStatement(AdminChangeStatements.DISCARD_LETTERS)) {
                statement.setString(1, AdminErrand.array(List.of(letter.id())));
                statement.executeUpdate();
            }
            errand.audit(AdminAction.DISCARD, key, letter.description(), 1);
            return Answer.done("discarded from the dead letters");
        });
    }

    /** The first of a key's messages. */
    private record Head(long id, MessageKey key, boolean dead) {}

    /** Under the lock of the lane nothing comes before the head that was found. */
    Answer unblock(String consumer, OrderingKey orderingKey, Author by) {
        return run("to unblock an ordering key", consumer, by, errand -> {
            int lane = OrderingKey.lane(orderingKey.bytes(), errand.consumer().lanes());
            errand.lockLanes(List.of(lane));
            Head head = head(errand, lane, orderingKey);
            if (head == null) {
                return Answers.notBlocked();
            }
            if (head.dead()) {
                if (errand.change(AdminChangeStatements.STOP_BLOCKING, head.id()) == 0) {
                    return Answers.busy();
                }
                errand.audit(AdminAction.UNBLOCK, head.key(), Answers.ofUnblock(orderingKey, "dead letter"), 1);
                return Answer.done("the dead letter " + head.key() + " blocks no longer");
            }
            Locked found = Locked.find(errand, head.key());
            if (found == null) {
                return Answers.busy();
            }
            if (found.isLeased()) {
                return Answers.leasedBy(found.leaseHolder());
            }
            if (found.status() == MessageStatus.RECEIVED && !found.waits()) {
                return Answers.waitsForAWorker(head.key());
            }
            try (PreparedStatement statement = errand.connection().prepareStatement(AdminChangeStatements.SKIP)) {
                statement.setLong(1, found.id());
                statement.setString(2, AdminErrand.bounded(Answers.ofSkip(by, found.lastError())));
                statement.executeUpdate();
            }
            errand.audit(AdminAction.UNBLOCK, head.key(), Answers.ofUnblock(orderingKey, found.describe()), 1);
            return Answer.done("the message " + head.key() + " is a dead letter that does not block");
        });
    }

    private static @Nullable Head head(AdminErrand errand, int lane, OrderingKey orderingKey) throws SQLException {
        try (PreparedStatement statement = errand.connection().prepareStatement(AdminChangeStatements.HEAD)) {
            for (int first = 1; first <= 4; first += 3) {
                statement.setShort(first, errand.consumer().id());
                statement.setInt(first + 1, lane);
                statement.setBytes(first + 2, orderingKey.bytes());
            }
            return AdminRows.readFirst(
                    statement,
                    row -> new Head(row.getLong(1), MessageKey.of(row.getObject(2, UUID.class)), row.getBoolean(3)));
        }
    }

    Answer pause(String consumer, boolean paused, Author by) {
        return run(paused ? "to pause a consumer" : "to resume a consumer", consumer, by, errand -> {
            try (PreparedStatement statement = errand.connection().prepareStatement(AdminChangeStatements.PAUSE)) {
                statement.setBoolean(1, paused);
                statement.setShort(2, errand.consumer().id());
                statement.setBoolean(3, paused);
                if (statement.executeUpdate() == 0) {
                    return Answers.isPaused(paused);
                }
            }
            errand.audit(paused ? AdminAction.PAUSE : AdminAction.RESUME, null, "", 1);
            return Answer.done(paused ? "paused on all nodes" : "resumed on all nodes");
        });
    }
}
