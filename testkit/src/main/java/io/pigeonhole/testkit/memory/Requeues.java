package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeuedPart;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Puts dead letters back to work. The work partitions of ordered ones are locked, as those do who store messages. */
final class Requeues {
    private final Tables tables;
    private final Consumers consumers;

    Requeues(Tables tables, Consumers consumers) {
        this.tables = tables;
        this.consumers = consumers;
    }

    Answer one(String consumer, MessageKey key, boolean evenIfLate, Author by) {
        return AdminChange.run(tables, consumers, consumer, by, change -> {
                    Answer answer = requeue(change, key, tables.now(), evenIfLate);
                    if (answer.hasChanged()) {
                        change.audit(AdminAction.REQUEUE, key, answer.detail(), 1);
                    }
                    return answer;
                })
                .orElseGet(Answers::busy);
    }

    Optional<RequeuedPart> part(
            Selection selection,
            @Nullable Cursor after,
            int limit,
            Requeue options,
            @Nullable Instant firstDue,
            Author by) {
        return AdminChange.run(tables, consumers, selection.filter().consumer(), by, change -> {
            List<LetterRow> letters = AdminReads.letters(tables, change.consumer(), selection.filter())
                    .filter(letter -> !letter.died().isAfter(selection.cutoff()))
                    .filter(letter -> after == null || letter.isBehind(after))
                    .sorted(LetterRow.BY_DEATH)
                    .limit(limit)
                    .toList();
            return letters.isEmpty()
                    ? RequeuedPart.NOTHING
                    : part(change, letters, selection, options, firstDue == null ? tables.now() : firstDue);
        });
    }

    private RequeuedPart part(
            AdminChange change, List<LetterRow> letters, Selection selection, Requeue options, Instant firstDue) {
        int requeued = 0;
        int duplicates = 0;
        int refused = 0;
        int conflicts = 0;
        Instant due = firstDue;
        for (LetterRow letter : letters) {
            if (selection.leavesOutConflicts() && letter.letter().reason() == DeadReason.CONFLICT) {
                conflicts++;
                continue;
            }
            switch (requeue(change, letter.row().key(), due, options.evenIfLate())
                    .kind()) {
                case DONE -> {
                    requeued++;
                    due = due.plus(options.interval());
                }
                case DUPLICATE -> duplicates++;
                case LATE, FROM_THE_FUTURE, REFUSED -> refused++;
                default -> {}
            }
        }
        LetterRow last = letters.get(letters.size() - 1);
        RequeuedPart part = new RequeuedPart(
                letters.size(), requeued, duplicates, refused, conflicts, last.cursor(), requeued == 0 ? null : due);
        if (requeued + duplicates > 0) {
            change.audit(AdminAction.REQUEUE, null, part.describe(selection, options), (long) requeued + duplicates);
        }
        return part;
    }

    private Answer requeue(AdminChange change, MessageKey key, Instant due, boolean evenIfLate) {
        Changes changes = change.changes();
        Row row = change.row(key);
        LetterRow found = changes.letterRows.get(row);
        if (found == null) {
            return Answers.notDead(key);
        }
        lockWorkPartition(change, found);
        LetterRow letter = change.letter(key);
        if (letter == null) {
            return Answers.notDead(key);
        }
        if (letter.letter().reason() == DeadReason.BYTES_NOT_STORED) {
            return Answers.withoutBytes();
        }
        if (!letter.letter().claimed()) {
            change.hold(List.of(new Lock.OfKey(row)));
            if (tables.isOutsideBounds(key)) {
                boolean late = key.compareTo(tables.oldest) < 0;
                if (!late || !evenIfLate) {
                    return late ? Answers.late() : Answers.fromTheFuture();
                }
            } else if (tables.ledger.containsKey(row)) {
                changes.letterRows.remove(row);
                return Answers.duplicate();
            } else {
                changes.claim(row, new Accepted(null, changes.now()));
            }
        }
        changes.letterRows.remove(row);
        if (change.work(key) != null) {
            return Answers.duplicate();
        }
        changes.work.put(
                row, WorkRow.reopened(letter, change.consumer(), changes.now()).dueAt(due));
        return Answer.done("back in work, due now");
    }

    private static void lockWorkPartition(AdminChange change, LetterRow letter) {
        OrderingKey key = OrderingKey.of(letter.letter().message());
        if (key != null && change.consumer().keepsOrderOf(letter.letter().message())) {
            int workPartition =
                    OrderingKey.partition(key.bytes(), change.consumer().workPartitions());
            change.hold(List.of(new Lock.OfWorkPartition(change.consumer().id(), workPartition)));
        }
    }
}
