package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The unfinished messages in one transaction. */
final class Work {
    private final Changes changes;

    Work(Changes changes) {
        this.changes = changes;
    }

    void park(RegisteredConsumer consumer, List<ParkedMessage> messages) {
        changes.inTurn(() -> {
            Instant now = changes.now();
            for (ParkedMessage parked : messages) {
                WorkRow row = arrived(consumer, parked.key(), parked.message(), false, now);
                changes.work.put(row.row(), row.postponed(parked.attempt(), now.plus(parked.dueIn())));
                changes.note(row.row(), parked.attempt());
            }
            return messages;
        });
    }

    void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) {
        changes.inTurn(() -> {
            for (ReceivedMessage received : messages) {
                WorkRow row = arrived(consumer, received.key(), received.message(), received.byLease(), changes.now());
                changes.work.put(row.row(), row);
            }
            return messages;
        });
    }

    private WorkRow arrived(
            RegisteredConsumer consumer, MessageKey key, Message message, boolean byLease, Instant now) {
        Row row = new Row(consumer.id(), key);
        Promise.check(isOwn(consumer, row), "only a message that this transaction has claimed can be kept");
        if (changes.work.has(row)) {
            throw new StoreException(ErrorClass.MESSAGE, key + " is in work already", null);
        }
        LetterRow letter = changes.letterRows.get(row);
        Promise.check(
                letter == null
                        || !letter.letter().claimed()
                        || consumer.deduplication().needsLog(),
                "a message is in work or dead once, but for one that died before it was claimed");
        return WorkRow.received(changes.tables.nextPlace(), consumer, row, message, byLease, now);
    }

    /** Where there is a log, the watermark may be what makes it the transaction's own, and that is checked at the commit. */
    private boolean isOwn(RegisteredConsumer consumer, Row row) {
        return consumer.deduplication().needsLog() || changes.claimed(row) != null;
    }

    List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit, long bytes) {
        return changes.inTurn(() -> {
            Instant now = changes.now();
            List<WorkRow> rows = new Candidates(changes, consumer, workPartition).forTaking(now, limit);
            return Candidates.within(bytes, rows).stream()
                    .map(row -> held(row).item(now))
                    .toList();
        });
    }

    List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) {
        return changes.inTurn(() -> {
            Instant now = changes.now();
            return changes.work.all().stream()
                    .filter(row -> row.row().consumer() == consumer.id() && ids.contains(row.id()))
                    .filter(row -> row.lease() == null && changes.isFree(new Lock.OfWork(row.row())))
                    .sorted(Comparator.comparingLong(WorkRow::id))
                    .map(row -> held(row).item(now))
                    .toList();
        });
    }

    /** Holds a row that is free. */
    WorkRow held(WorkRow row) {
        changes.hold(new Lock.OfWork(row.row()));
        return row;
    }

    void postpone(RegisteredConsumer consumer, List<PostponedItem> items) {
        changes.inTurn(() -> {
            for (PostponedItem failed : items) {
                WorkRow row = own(consumer, failed.item());
                changes.work.put(
                        row.row(), row.postponed(failed.attempt(), changes.now().plus(failed.dueIn())));
                if (failed.isNoted()) {
                    changes.note(row.row(), failed.attempt());
                }
            }
            return items;
        });
    }

    void requireLease(RegisteredConsumer consumer, List<WorkItem> items) {
        changes.inTurn(() -> {
            for (WorkItem item : items) {
                WorkRow row = own(consumer, item);
                changes.work.put(row.row(), row.needingLease());
            }
            return items;
        });
    }

    void finish(RegisteredConsumer consumer, List<WorkItem> items) {
        changes.inTurn(() -> {
            for (WorkItem item : items) {
                changes.work.remove(own(consumer, item).row());
            }
            return items;
        });
    }

    void record(RegisteredConsumer consumer, List<FinishedMessage> messages) {
        changes.inTurn(() -> {
            for (FinishedMessage message : messages) {
                Row row = new Row(consumer.id(), message.key());
                Promise.check(
                        isOwn(consumer, row) || changes.holds(new Lock.OfWork(row)),
                        "only a message that this transaction has claimed, taken or holds can be finished");
                changes.record(consumer.id(), message);
            }
            return messages;
        });
    }

    /** The row of a message that this transaction has taken or holds. Whoever has an old token has none. */
    WorkRow own(RegisteredConsumer consumer, WorkItem item) {
        Row key = new Row(consumer.id(), item.key());
        WorkRow row = changes.work.get(key);
        if (row == null || !row.isStill(item) || !changes.holds(new Lock.OfWork(key))) {
            throw new IllegalStateException(
                    "the message " + item.key() + " with the token " + item.token() + " is neither taken nor held");
        }
        return row;
    }

    /** The row of a message as it was leased, or null where the lease is not the newest any more. */
    @Nullable
    WorkRow leased(RegisteredConsumer consumer, WorkItem item) {
        WorkRow row = changes.work.get(new Row(consumer.id(), item.key()));
        return row != null && row.lease() != null && row.isStill(item) ? row : null;
    }
}
