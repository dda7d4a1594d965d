package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Finds the messages of a work partition that may be worked on now. */
final class Candidates {
    private static final Comparator<WorkRow> ARRIVAL = Comparator.comparingLong(WorkRow::id);
    private static final Comparator<WorkRow> OLDEST_DUE =
            Comparator.comparing(WorkRow::due).thenComparing(ARRIVAL);

    private final Changes changes;
    private final RegisteredConsumer consumer;
    private final int workPartition;

    Candidates(Changes changes, RegisteredConsumer consumer, int workPartition) {
        this.changes = changes;
        this.consumer = consumer;
        this.workPartition = workPartition;
    }

    /** Of each key the messages from its head on. */
    List<WorkRow> forTaking(Instant now, int limit) {
        return find(false, now, limit);
    }

    /** Of each key its head only. */
    List<WorkRow> forLeasing(Instant now, int limit) {
        return find(true, now, limit);
    }

    /** Those from the first on that have so many bytes together, but at least the first. */
    static List<WorkRow> within(long bytes, List<WorkRow> rows) {
        return within(bytes, rows, WorkRow::message);
    }

    static <T> List<T> within(long bytes, List<T> rows, Function<T, Message> messages) {
        long left = bytes;
        for (int i = 0; i < rows.size(); i++) {
            left -= bytes(messages.apply(rows.get(i)));
            if (left < 0) {
                return rows.subList(0, Math.max(1, i));
            }
        }
        return rows;
    }

    private static long bytes(Message message) {
        byte[] key = message.orderingKey();
        long bytes = message.payload().length + (key == null ? 0L : key.length);
        for (Header header : message.headers()) {
            byte[] value = header.value();
            bytes += header.name().length() + (value == null ? 0L : value.length);
        }
        return bytes;
    }

    private List<WorkRow> find(boolean byLease, Instant now, int limit) {
        List<WorkRow> found = new ArrayList<>();
        if (changes.tables.paused.contains(consumer.id())) {
            return found;
        }
        List<LetterRow> blocking =
                changes.letterRows.all().stream().filter(LetterRow::blocks).toList();
        Set<OrderingKey> passed = new HashSet<>();
        for (WorkRow row : rowsOfWorkPartition()) {
            if (found.size() == limit) {
                break;
            }
            OrderingKey key = row.ordered() ? OrderingKey.of(row.message()) : null;
            boolean may = row.byLease() == byLease && row.isDue(now) && changes.isFree(new Lock.OfWork(row.row()));
            if (key == null) {
                if (may) {
                    found.add(row);
                }
            } else if (!passed.contains(key)) {
                may &= blocking.stream()
                        .noneMatch(letterRow -> letterRow.id() < row.id() && letterRow.blocks(consumer, key));
                if (may) {
                    found.add(row);
                }
                if (!may || byLease) {
                    passed.add(key);
                }
            }
        }
        return found;
    }

    private List<WorkRow> rowsOfWorkPartition() {
        return changes.work.all().stream()
                .filter(row -> row.row().consumer() == consumer.id() && row.workPartition() == workPartition)
                .sorted(consumer.order().isKept() ? ARRIVAL : OLDEST_DUE)
                .toList();
    }
}
