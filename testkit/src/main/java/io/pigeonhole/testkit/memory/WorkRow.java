package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An unfinished message. */
record WorkRow(
        long id,
        Row row,
        Message message,
        int workPartition,
        boolean ordered,
        boolean byLease,
        int attempts,
        int retriedAttempts,
        Instant due,
        Instant received,
        Instant retriedSince,
        long token,
        @Nullable Lease lease,
        @Nullable FailedAttempt failed) {
    /** Who may work on it until when. */
    record Lease(String owner, Instant since, Instant until) {}

    static WorkRow received(
            long id, RegisteredConsumer consumer, Row row, Message message, boolean byLease, Instant now) {
        return new WorkRow(
                id,
                row,
                message,
                consumer.workPartitionOf(message, row.key()),
                consumer.keepsOrderOf(message),
                byLease,
                0,
                0,
                now,
                now,
                now,
                0,
                null,
                null);
    }

    static WorkRow reopened(LetterRow letterRow, RegisteredConsumer consumer, Instant now) {
        Message message = letterRow.letter().message();
        return new WorkRow(
                letterRow.id(),
                letterRow.row(),
                message,
                consumer.workPartitionOf(message, letterRow.row().key()),
                consumer.keepsOrderOf(message),
                letterRow.byLease(),
                letterRow.attempts(),
                letterRow.attempts(),
                now,
                letterRow.received(),
                now,
                letterRow.token(),
                null,
                null);
    }

    /** Whether it is in nobody's hands and due; whether it needs a lease is another question. */
    boolean isDue(Instant now) {
        return lease == null && !due.isAfter(now);
    }

    /** Whether this is the message as it was taken or leased: neither finished nor leased by others since. */
    boolean isStill(WorkItem item) {
        return id == item.id() && token == item.token();
    }

    WorkRow postponed(FailedAttempt attempt, Instant until) {
        return with(byLease, attempt.number(), until, token, null, attempt);
    }

    WorkRow dueAt(Instant then) {
        return with(byLease, attempts, then, token, lease, failed);
    }

    /** Due, with a newer token than whoever had the lease. */
    WorkRow released(FailedAttempt attempt, Instant now) {
        return with(byLease, attempts, now, token + 1, null, attempt);
    }

    MessageStatus status() {
        if (lease != null) {
            return MessageStatus.LEASED;
        }
        return failed != null ? MessageStatus.PARKED : MessageStatus.RECEIVED;
    }

    /** What it failed with, or waits for, since its last beginning. */
    @Nullable
    String lastError() {
        return failed != null ? failed.errorClass() + ": " + failed.message() : null;
    }

    WorkRow needingLease() {
        return with(true, attempts, due, token, lease, failed);
    }

    WorkRow leased(String owner, Instant now, Duration duration) {
        return with(byLease, attempts + 1, due, token + 1, new Lease(owner, now, now.plus(duration)), failed);
    }

    WorkRow prolonged(Instant until) {
        Lease current = theLease();
        return with(byLease, attempts, due, token, new Lease(current.owner(), current.since(), until), failed);
    }

    private Lease theLease() {
        if (lease == null) {
            throw new IllegalStateException("the message " + row.key() + " is not leased");
        }
        return lease;
    }

    /** When its lease ends; never, where it has none. */
    Instant leaseEnd() {
        return lease == null ? Instant.MAX : lease.until();
    }

    ExpiredLease expired(Instant now) {
        Lease current = theLease();
        return new ExpiredLease(
                item(now),
                current.owner(),
                Duration.between(current.until(), now),
                Duration.between(current.since(), current.until()));
    }

    ParkedMessage parked(FailedAttempt attempt, Instant now) {
        return new ParkedMessage(row.key(), message, until(due, now), attempt);
    }

    /** From now to then; zero where that is over. */
    static Duration until(Instant then, Instant now) {
        return then.isAfter(now) ? Duration.between(now, then) : Duration.ZERO;
    }

    private WorkRow with(
            boolean leaseNeeded,
            int count,
            Instant dueAt,
            long newest,
            @Nullable Lease leasedTo,
            @Nullable FailedAttempt last) {
        return new WorkRow(
                id,
                row,
                message,
                workPartition,
                ordered,
                leaseNeeded,
                count,
                retriedAttempts,
                dueAt,
                received,
                retriedSince,
                newest,
                leasedTo,
                last);
    }

    WorkItem item(Instant now) {
        Duration age = Duration.between(retriedSince, now);
        return new WorkItem(id, row.key(), message, attempts, retriedAttempts, age, byLease, token);
    }
}
