package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Changes one message, or one consumer. */
final class AdminChanges {
    private final Tables tables;
    private final Consumers consumers;

    AdminChanges(Tables tables, Consumers consumers) {
        this.tables = tables;
        this.consumers = consumers;
    }

    private Answer run(String consumer, Author by, Function<AdminChange, Answer> work) {
        return AdminChange.run(tables, consumers, consumer, by, work).orElseGet(Answers::busy);
    }

    Answer retryNow(String consumer, MessageKey key, Author by) {
        return run(consumer, by, change -> {
            WorkRow found = change.work(key);
            if (found == null) {
                return Answers.notInWork(key);
            }
            if (found.lease() != null) {
                return Answers.leasedBy(found.lease().owner());
            }
            if (found.isDue(tables.now())) {
                return Answers.isDue();
            }
            change.changes().work.put(found.row(), found.dueAt(tables.now()));
            change.audit(AdminAction.RETRY_NOW, key, describe(found), 1);
            return Answer.done("the message is due");
        });
    }

    Answer releaseLease(String consumer, MessageKey key, Author by) {
        return run(consumer, by, change -> {
            WorkRow found = change.work(key);
            if (found == null) {
                return Answers.notInWork(key);
            }
            WorkRow.Lease lease = found.lease();
            if (lease == null) {
                return Answers.notLeased();
            }
            Duration held = Duration.between(lease.since(), tables.now());
            FailedAttempt attempt = Answers.released(lease.owner(), by, found.attempts(), held);
            change.changes().work.put(found.row(), found.released(attempt, tables.now()));
            change.changes().note(found.row(), attempt);
            change.audit(AdminAction.RELEASE_LEASE, key, describe(found), 1);
            return Answer.done("the lease of '" + lease.owner() + "' is released; the message is due");
        });
    }

    Answer discard(String consumer, MessageKey key, Author by) {
        return run(consumer, by, change -> {
            WorkRow found = change.work(key);
            if (found != null) {
                change.changes().work.remove(found.row());
                change.audit(AdminAction.DISCARD, key, describe(found), 1);
                return Answer.done("discarded from work");
            }
            LetterRow letter = change.letter(key);
            if (letter == null) {
                return Answers.nowhere(key);
            }
            change.changes().letterRows.remove(letter.row());
            DeadLetter dead = letter.letter();
            String detail = Answers.ofLetter(
                    dead.reason().name(),
                    dead.detail(),
                    dead.claimed(),
                    dead.message().source(),
                    dead.message().id());
            change.audit(AdminAction.DISCARD, key, detail, 1);
            return Answer.done("discarded from the dead letters");
        });
    }

    Answer unblock(String consumer, OrderingKey key, Author by) {
        return run(consumer, by, change -> {
            int workPartition =
                    OrderingKey.partition(key.bytes(), change.consumer().workPartitions());
            change.hold(List.of(new Lock.OfWorkPartition(change.consumer().id(), workPartition)));
            Optional<WorkRow> work = change.changes().work.all().stream()
                    .filter(row -> row.ordered() && isOf(change, row.row(), key, OrderingKey.of(row.message())))
                    .min(Comparator.comparingLong(WorkRow::id));
            Optional<LetterRow> letter = change.changes().letterRows.all().stream()
                    .filter(letterRow -> letterRow.blocks(change.consumer(), key))
                    .min(Comparator.comparingLong(LetterRow::id));
            if (letter.isPresent()
                    && (work.isEmpty() || letter.get().id() < work.get().id())) {
                return unblockLetter(change, key, letter.get().row().key());
            }
            return work.map(row -> skip(change, key, row.row().key())).orElseGet(Answers::notBlocked);
        });
    }

    private static boolean isOf(AdminChange change, Row row, OrderingKey key, @Nullable OrderingKey found) {
        return row.consumer() == change.consumer().id() && key.equals(found);
    }

    private static Answer unblockLetter(AdminChange change, OrderingKey orderingKey, MessageKey key) {
        LetterRow letter = change.letter(key);
        if (letter == null || !letter.blocks()) {
            return Answers.busy();
        }
        change.changes().letterRows.put(letter.row(), letter.blockingNoLonger());
        change.audit(AdminAction.UNBLOCK, key, Answers.ofUnblock(orderingKey, "dead letter"), 1);
        return Answer.done("the dead letter " + key + " blocks no longer");
    }

    private Answer skip(AdminChange change, OrderingKey orderingKey, MessageKey key) {
        WorkRow found = change.work(key);
        if (found == null) {
            return Answers.busy();
        }
        if (found.lease() != null) {
            return Answers.leasedBy(found.lease().owner());
        }
        if (found.status() == MessageStatus.RECEIVED && found.isDue(tables.now())) {
            return Answers.waitsForAWorker(key);
        }
        String detail = Answers.ofSkip(change.by(), found.lastError());
        DeadLetter letter =
                new DeadLetter(key, found.message(), DeadReason.SKIPPED, detail, true, null, found.item(tables.now()));
        LetterRow there = change.letter(key);
        change.changes().work.remove(found.row());
        LetterRow skipped =
                LetterRow.of(change.consumer(), letter, found.row(), found.id(), found.received(), tables.now());
        change.changes().letterRows.put(found.row(), there == null ? skipped : there.seenOnceMore(skipped));
        change.audit(AdminAction.UNBLOCK, key, Answers.ofUnblock(orderingKey, describe(found)), 1);
        return Answer.done("the message " + key + " is a dead letter that does not block");
    }

    Answer pause(String consumer, boolean paused, Author by) {
        return run(consumer, by, change -> {
            short id = change.consumer().id();
            boolean changed = paused ? tables.paused.add(id) : tables.paused.remove(id);
            if (!changed) {
                return Answers.isPaused(paused);
            }
            change.audit(paused ? AdminAction.PAUSE : AdminAction.RESUME, null, "", 1);
            return Answer.done(paused ? "paused on all nodes" : "resumed on all nodes");
        });
    }

    Answer deduplicateBy(String consumer, Deduplication deduplication, Author by) {
        return run(consumer, by, change -> {
            Deduplication before = change.consumer().deduplication();
            Answer refusal = Answers.judge(before, deduplication);
            if (refusal != null) {
                return refusal;
            }
            if (!tables.paused.contains(change.consumer().id())) {
                return Answers.notPaused();
            }
            consumers.deduplicateBy(change.consumer(), deduplication);
            tables.marks.takeAway(change.consumer().id(), deduplication.needsLog());
            String what = Answers.ofDeduplication(before, deduplication);
            change.audit(AdminAction.DEDUPLICATE, null, what, 1);
            return Answer.done(what);
        });
    }

    Answer forgetWatermarks(String consumer, String source, Author by) {
        return run(consumer, by, change -> {
            int forgotten = tables.marks.forget(change.consumer().id(), source);
            if (forgotten == 0) {
                return Answers.noWatermarks(source);
            }
            change.audit(AdminAction.FORGET_WATERMARKS, null, source, forgotten);
            return Answer.done("forgotten: " + forgotten + " positions");
        });
    }

    private static String describe(WorkRow row) {
        return Answers.ofWork(
                row.status(), row.message().source(), row.message().id(), row.attempts(), row.lastError());
    }
}
