package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.store.AppendedMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The messages to send. Read and written under the lock of the tables, but for the listeners. */
final class OutboxTable {
    private final SortedMap<Long, Appended> rows = new TreeMap<>();
    private final List<BiConsumer<String, Set<Integer>>> listeners = new CopyOnWriteArrayList<>();
    private long lastPosition;

    /** One of them. */
    record Appended(long position, String destination, int workPartition, Message message) {
        long bytes() {
            long headers = message.headers().list().stream()
                    .mapToLong(header -> header.value() == null ? 0 : header.value().length)
                    .sum();
            return headers + message.payload().length;
        }
    }

    /** An outbox that appends in a transaction, for as long as that is open. */
    static Outbox in(Changes changes, @Nullable Message handled) {
        return new Outbox() {
            @Override
            public UUID append(OutboxMessage message) {
                UUID id = MessageIds.next();
                changes.append(message.destination(), message.workPartition(id), message.toMessage(id, handled));
                return id;
            }
        };
    }

    /** As with a sequence, a rollback does not give it back. */
    long nextPosition() {
        return ++lastPosition;
    }

    List<AppendedMessage> first(String destination, int workPartition, int limit, long bytes) {
        List<AppendedMessage> first = new ArrayList<>();
        long total = 0;
        for (Appended row : rows.values()) {
            if (!row.destination().equals(destination) || row.workPartition() != workPartition) {
                continue;
            }
            total += row.bytes();
            if (first.size() == limit || (total > bytes && !first.isEmpty())) {
                break;
            }
            first.add(new AppendedMessage(row.position(), row.message()));
        }
        return first;
    }

    boolean has(long position) {
        return rows.containsKey(position);
    }

    void apply(Collection<Appended> added, Collection<Long> removed) {
        added.forEach(row -> rows.put(row.position(), row));
        removed.forEach(position -> rows.remove(position));
    }

    Set<Integer> workPartitionsOf(String destination) {
        return rows.values().stream()
                .filter(row -> row.destination().equals(destination))
                .map(Appended::workPartition)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    List<Message> messages(String destination) {
        return rows.values().stream()
                .filter(row -> row.destination().equals(destination))
                .map(Appended::message)
                .toList();
    }

    Runnable listen(BiConsumer<String, Set<Integer>> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Messages are committed. */
    void signal(Collection<Appended> added) {
        Map<String, Set<Integer>> places = new HashMap<>();
        added.forEach(row -> places.computeIfAbsent(row.destination(), destination -> new TreeSet<>())
                .add(row.workPartition()));
        places.forEach((destination, workPartitions) ->
                listeners.forEach(listener -> listener.accept(destination, workPartitions)));
    }
}
