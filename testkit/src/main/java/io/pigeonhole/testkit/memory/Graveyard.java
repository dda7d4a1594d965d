package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.DeadReason;
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
final class Graveyard {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Changes changes;
    private final Work work;
    private final Claims claims;

    Graveyard(Changes changes, Work work, Claims claims) {
        this.changes = changes;
        this.work = work;
        this.claims = claims;
    }

    void bury(RegisteredConsumer consumer, List<DeadLetter> letters) {
        changes.inTurn(() -> {
            for (DeadLetter letter : letters) {
                Row row = new Row(consumer.id(), letter.key());
                Promise.check(
                        letter.item() != null
                                || !letter.claimed()
                                || consumer.deduplication().needsLog()
                                || claims.isAccepted(row),
                        "a dead letter that says that the ledger has its key is right");
                Grave there = find(row);
                Grave grave = grave(consumer, letter, row);
                changes.hold(new Lock.OfLetter(row));
                changes.graves.put(row, there == null ? grave : there.seenOnceMore(grave));
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
    private Grave grave(RegisteredConsumer consumer, DeadLetter letter, Row row) {
        WorkItem item = letter.item();
        Instant now = changes.now();
        if (item == null) {
            return Grave.of(consumer, letter, row, changes.tables.nextPlace(), now, now);
        }
        WorkRow before = work.own(consumer, item);
        changes.work.remove(before.row());
        return Grave.of(consumer, letter, row, item.id(), before.received(), now);
    }

    Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return changes.inTurn(() -> {
            Set<MessageKey> seen = new LinkedHashSet<>();
            for (MessageKey key : keys) {
                Row row = new Row(consumer.id(), key);
                Grave grave = find(row);
                if (grave != null) {
                    changes.hold(new Lock.OfLetter(row));
                    changes.graves.put(row, grave.seenOnceMore());
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
                Grave grave = find(row);
                if (grave != null
                        && grave.letter().claimed()
                        && grave.letter().reason() != DeadReason.BYTES_NOT_STORED) {
                    changes.hold(new Lock.OfLetter(row));
                    changes.graves.remove(row);
                    changes.work.put(row, WorkRow.reopened(grave, consumer, changes.now()));
                    reopened.add(key);
                }
            }
            return reopened;
        });
    }

    /** The letter once nobody else changes it. */
    private @Nullable Grave find(Row row) {
        changes.awaitFree(List.of(new Lock.OfLetter(row)), PATIENCE);
        return changes.graves.get(row);
    }
}
