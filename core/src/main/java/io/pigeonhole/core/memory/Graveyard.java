package io.pigeonhole.core.memory;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
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
                        letter.item() != null || letter.claimed() == claims.isAccepted(row),
                        "a dead letter says whether the ledger has its key: " + letter.claimed());
                Grave there = find(row);
                long place = place(consumer, letter.item());
                changes.hold(new Lock.OfLetter(row));
                FailedAttempt last = letter.attempt();
                if (last != null && (there == null || letter.item() != null)) {
                    changes.failed(row, last);
                }
                changes.graves.put(row, there == null ? Grave.of(consumer, letter, row, place) : there.seenOnceMore());
            }
            return letters;
        });
    }

    /** Takes it out of work with its place, or gives it the next one where it never was there. */
    private long place(RegisteredConsumer consumer, @Nullable WorkItem item) {
        if (item == null) {
            return changes.tables.nextPlace();
        }
        changes.work.remove(work.own(consumer, item).row());
        return item.id();
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
                if (grave != null && grave.letter().claimed()) {
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
