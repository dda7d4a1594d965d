package io.pigeonhole.core.memory;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What is committed, and who holds what is not. Everything is read and written under {@link #lock}; {@link #ended} is
 * signalled when a transaction lets go of claims.
 */
final class Tables {
    private static final MessageKey SMALLEST = new MessageKey(0, 0);

    final ReentrantLock lock = new ReentrantLock();
    final Condition ended = lock.newCondition();
    final Set<Row> ledger = new LinkedHashSet<>();
    final Map<Row, ParkedMessage> work = new LinkedHashMap<>();
    final Map<Row, DeadLetter> deadLetters = new LinkedHashMap<>();
    final List<Change.Finished> history = new ArrayList<>();
    final Map<Row, Changes> holders = new HashMap<>();
    MessageKey oldest = SMALLEST;
    MessageKey newest = MessageKey.FIRST_DIGEST;

    /** What is committed or done by the asking transaction itself. */
    boolean isAccepted(Row row, Changes own) {
        return ledger.contains(row) || holders.get(row) == own;
    }

    boolean isUnfinishedOrDead(Row row) {
        return work.containsKey(row) || deadLetters.containsKey(row);
    }

    boolean isOutsideHorizon(MessageKey key) {
        return key.isTimeForm() && (key.compareTo(oldest) < 0 || key.compareTo(newest) >= 0);
    }

    /** The ledger's days before the horizon are dropped; work and dead letters stay. */
    void moveHorizon(MessageKey from, MessageKey to) {
        oldest = from;
        newest = to;
        ledger.removeIf(row -> row.key().compareTo(oldest) < 0);
    }

    void apply(Change change) {
        if (change instanceof Change.Claimed claimed) {
            ledger.add(claimed.row());
        } else if (change instanceof Change.Parked parked) {
            work.put(parked.row(), parked.message());
        } else if (change instanceof Change.Buried buried) {
            deadLetters.putIfAbsent(buried.row(), buried.letter());
        } else if (change instanceof Change.Finished finished) {
            history.add(finished);
        }
    }

    /** The keys that are accepted and neither parked nor dead. */
    Set<MessageKey> processed(short consumer) {
        Set<MessageKey> keys = new LinkedHashSet<>();
        for (Row row : ledger) {
            if (row.consumer() == consumer && !isUnfinishedOrDead(row)) {
                keys.add(row.key());
            }
        }
        return keys;
    }

    List<FinishedMessage> history(short consumer) {
        return history.stream()
                .filter(finished -> finished.row().consumer() == consumer)
                .map(Change.Finished::message)
                .toList();
    }

    static <V> List<V> of(short consumer, Map<Row, V> table) {
        return table.entrySet().stream()
                .filter(entry -> entry.getKey().consumer() == consumer)
                .map(Map.Entry::getValue)
                .toList();
    }

    void write(Consumer<Tables> change) {
        lock.lock();
        try {
            change.accept(this);
        } finally {
            lock.unlock();
        }
    }

    <R> R read(Function<Tables, R> question) {
        lock.lock();
        try {
            return question.apply(this);
        } finally {
            lock.unlock();
        }
    }
}
