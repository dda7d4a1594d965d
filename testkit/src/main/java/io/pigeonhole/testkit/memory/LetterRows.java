package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The dead letters in one transaction. */
final class LetterRows {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Changes changes;
    private final Work work;
    private final Claims claims;

    LetterRows(Changes changes, Work work, Claims claims) {
        this.changes = changes;
        this.work = work;
        this.claims = claims;
    }

    void deadLetter(RegisteredConsumer consumer, List<DeadLetter> letters) {
        changes.inTurn(() -> {
            for (DeadLetter letter : letters) {
                Row row = new Row(consumer.id(), letter.key());
                Promise.check(
                        letter.item() != null
                                || !letter.claimed()
                                || consumer.deduplication().needsLog()
                                || claims.isAccepted(row),
                        "a dead letter that says that the ledger has its key is right");
                LetterRow there = find(row);
                LetterRow letterRow = letterRow(consumer, letter, row);
                changes.hold(new Lock.OfLetter(row));
                changes.letterRows.put(row, there == null ? letterRow : there.seenOnceMore(letterRow));
                FailedAttempt last = letter.attempt();
                boolean stays = there != null && (there.letter().claimed() || !letter.claimed());
                if (last != null && (!stays || letter.item() != null)) {
                    changes.note(row, last);
                }
            }
            return letters;
        });
    }

    /** Takes it out of work with its place, or gives it the next one where it never was there. */
    private LetterRow letterRow(RegisteredConsumer consumer, DeadLetter letter, Row row) {
        WorkItem item = letter.item();
        Instant now = changes.now();
        if (item == null) {
            return LetterRow.of(consumer, letter, row, changes.tables.nextPlace(), now, now);
        }
        WorkRow before = work.own(consumer, item);
        changes.work.remove(before.row());
        return LetterRow.of(consumer, letter, row, item.id(), before.received(), now);
    }

    Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return changes.inTurn(() -> {
            Set<MessageKey> seen = new LinkedHashSet<>();
            for (MessageKey key : keys) {
                Row row = new Row(consumer.id(), key);
                LetterRow letterRow = find(row);
                if (letterRow != null) {
                    changes.hold(new Lock.OfLetter(row));
                    changes.letterRows.put(row, letterRow.seenOnceMore());
                    seen.add(key);
                }
            }
            return seen;
        });
    }

    Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return changes.inTurn(() -> {
            Set<MessageKey> reopened = new LinkedHashSet<>();
            for (MessageKey key : keys) {
                Row row = new Row(consumer.id(), key);
                LetterRow letterRow = find(row);
                if (letterRow != null
                        && letterRow.letter().claimed()
                        && letterRow.letter().reason() != DeadReason.BYTES_NOT_STORED) {
                    changes.hold(new Lock.OfLetter(row));
                    changes.letterRows.remove(row);
                    changes.work.put(row, WorkRow.reopened(letterRow, consumer, changes.now()));
                    reopened.add(key);
                }
            }
            return reopened;
        });
    }

    /** The letter once nobody else changes it. */
    private @Nullable LetterRow find(Row row) {
        changes.awaitFree(List.of(new Lock.OfLetter(row)), TIMEOUT);
        return changes.letterRows.get(row);
    }
}
