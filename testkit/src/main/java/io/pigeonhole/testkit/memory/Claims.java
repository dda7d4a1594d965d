package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The ledger in one transaction. */
final class Claims {
    private final Changes changes;

    Claims(Changes changes) {
        this.changes = changes;
    }

    Claim claim(RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout) {
        return changes.inTurn(() -> {
            Tables tables = changes.tables;
            List<Row> rows =
                    keys.stream().map(key -> new Row(consumer.id(), key)).toList();
            changes.awaitFree(rows.stream().map(Lock.OfKey::new).toList(), timeout);
            Set<MessageKey> claimed = new HashSet<>();
            for (int i = 0; i < rows.size(); i++) {
                Row row = rows.get(i);
                if (!tables.isOutsideBounds(row.key()) && accepted(row) == null) {
                    changes.claim(row, new Accepted(hashes.isEmpty() ? null : hashes.get(i), changes.now()));
                    claimed.add(row.key());
                }
            }
            boolean deadLetters = changes.letterRows.all().stream()
                    .anyMatch(letterRow -> letterRow.row().consumer() == consumer.id());
            return new Claim(claimed, tables.oldest, tables.newest, deadLetters);
        });
    }

    Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes) {
        return changes.inTurn(() -> {
            Set<MessageKey> conflicts = new LinkedHashSet<>();
            hashes.forEach((key, hash) -> {
                Row row = new Row(consumer.id(), key);
                Accepted accepted = accepted(row);
                Set<PayloadHash> before =
                        accepted != null && accepted.hash() != null ? Set.of(accepted.hash()) : kept(row);
                if (!before.isEmpty() && !before.contains(hash)) {
                    conflicts.add(key);
                }
            });
            return conflicts;
        });
    }

    /** The hashes of the payloads that are in work or among the dead letters. */
    private Set<PayloadHash> kept(Row row) {
        Set<PayloadHash> hashes = new HashSet<>();
        WorkRow work = changes.work.get(row);
        if (work != null) {
            hashes.add(PayloadHash.of(work.message()));
        }
        LetterRow letterRow = changes.letterRows.get(row);
        if (letterRow != null && letterRow.letter().reason() != DeadReason.BYTES_NOT_STORED) {
            hashes.add(PayloadHash.of(letterRow.letter().message()));
        }
        return hashes;
    }

    boolean isAccepted(Row row) {
        return changes.inTurn(() -> accepted(row) != null);
    }

    /** Whether a message is in work or in the dead letters. */
    boolean isKnown(Row row) {
        return changes.inTurn(() -> changes.work.has(row) || changes.letterRows.has(row));
    }

    private @Nullable Accepted accepted(Row row) {
        Accepted own = changes.claimed(row);
        return own != null ? own : changes.tables.ledger.get(row);
    }
}
