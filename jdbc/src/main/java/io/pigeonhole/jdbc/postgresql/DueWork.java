package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.WorkItems;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds and locks what is due in a work partition. With an order it looks at the messages that are due first, and from each of them at
 * its key. That costs nothing for the many that wait; but where all that it looked at stand behind heads that are not due,
 * or that somebody has locked, it goes from head to head instead, once and past all locked ones. That costs something for
 * each key of the work partition and finds all.
 */
public final class DueWork {
    private static final int DUE_AT = WorkItems.COLUMNS + 1;
    private static final int LOCKED = DUE_AT + 1;
    private static final int PLANNED = WorkItems.COLUMNS + 1;
    private static final int PLANNED_KEY = PLANNED + 1;
    private static final int OF_KEYS = PLANNED + 2;
    private static final int MESSAGES_SEEN = PLANNED + 3;

    private DueWork() {}

    /**
     * Looks from a hint on, and from the beginning where there is nothing. Where there is less than a full batch, the next
     * look is one from the beginning.
     */
    static Taken withoutOrder(
            PostgresCalls calls,
            RegisteredConsumer consumer,
            int workPartition,
            int limit,
            long bytes,
            DueHints.Hint hint)
            throws SQLException {
        Taken taken = from(calls, consumer, workPartition, limit, bytes, hint);
        return taken.items().isEmpty() && !hint.isFromBeginning()
                ? from(
                        calls,
                        consumer,
                        workPartition,
                        limit,
                        bytes,
                        new DueHints.Hint(DueHints.BEGINNING, System.nanoTime()))
                : taken;
    }

    private static Taken from(
            PostgresCalls calls,
            RegisteredConsumer consumer,
            int workPartition,
            int limit,
            long bytes,
            DueHints.Hint hint)
            throws SQLException {
        try (Call call = calls.search(PostgresWorkStatement.TAKE)) {
            return call.consumer(consumer)
                    .number("work_partition", workPartition)
                    .number("from", hint.dueAt())
                    .number("limit", limit)
                    .number("bytes", bytes)
                    .read(rows -> taken(rows, limit, hint));
        }
    }

    private static Taken taken(ResultSet rows, int limit, DueHints.Hint hint) throws SQLException {
        List<WorkItem> items = new ArrayList<>();
        long last = DueHints.BEGINNING;
        int locked = 0;
        while (rows.next()) {
            items.add(WorkItems.read(rows));
            last = rows.getLong(DUE_AT);
            locked = rows.getInt(LOCKED);
        }
        return new Taken(items, hint.movedTo(locked < limit && items.size() == locked ? DueHints.BEGINNING : last));
    }

    static List<WorkItem> inOrder(
            PostgresCalls calls, RegisteredConsumer consumer, int workPartition, int limit, long bytes)
            throws SQLException {
        return inOrder(calls, new Search(consumer, workPartition, false, limit, limit, bytes));
    }

    /** Of messages that need a lease only the heads: what is behind one must not begin before it is finished. */
    static List<WorkItem> heads(PostgresCalls calls, RegisteredConsumer consumer, int workPartition, int limit)
            throws SQLException {
        return inOrder(calls, new Search(consumer, workPartition, true, limit, 1, Long.MAX_VALUE));
    }

    private static List<WorkItem> inOrder(PostgresCalls calls, Search search) throws SQLException {
        Answer answer = ask(calls, PostgresWorkPartitionStatement.TAKE_BY_DUE, search);
        if (answer.isOfKeys || !answer.mayHideOthers) {
            return answer.items;
        }
        Answer further = ask(calls, PostgresWorkPartitionStatement.TAKE_BY_HEADS, search);
        return further.items.isEmpty() ? answer.items : further.items;
    }

    private static Answer ask(PostgresCalls calls, PostgresWorkPartitionStatement statement, Search search)
            throws SQLException {
        try (Call call = calls.search(statement)) {
            return search.bind(call).read(rows -> read(rows, search.limit));
        }
    }

    /** What was planned but could not be locked cuts its key: what is behind it would overtake it. */
    private static Answer read(ResultSet rows, int limit) throws SQLException {
        List<WorkItem> items = new ArrayList<>();
        Set<OrderingKey> cut = new HashSet<>();
        boolean ofKeys = false;
        boolean found = false;
        boolean passed = false;
        int seen = 0;
        while (rows.next()) {
            seen = rows.getInt(MESSAGES_SEEN);
            found = rows.getBoolean(OF_KEYS);
            byte[] bytes = rows.getBytes(PLANNED_KEY);
            OrderingKey key = bytes == null ? null : OrderingKey.of(bytes);
            boolean locked = rows.getObject(1) != null;
            passed |= !locked && rows.getObject(PLANNED) != null;
            if (locked && (key == null || !cut.contains(key))) {
                items.add(WorkItems.read(rows));
                ofKeys |= key != null;
            } else if (!locked && key != null) {
                cut.add(key);
            }
        }
        return new Answer(items, ofKeys, passed || (!found && seen >= limit));
    }

    /** What was taken, and where to look next once that is committed. */
    record Taken(List<WorkItem> items, DueHints.Hint next) {}

    /** What is looked for: messages of a work partition, so many at most, of one key and in bytes too. */
    private record Search(
            RegisteredConsumer consumer, int workPartition, boolean byLease, int limit, int ofKey, long bytes) {
        Call bind(Call call) throws SQLException {
            return call.consumer(consumer)
                    .number("work_partition", workPartition)
                    .flag("by_lease", byLease)
                    .number("limit", (long) limit)
                    .number("of_key", (long) ofKey)
                    .number("bytes", bytes);
        }
    }

    /**
     * What a search came to: whether any of it has an order, and whether it may hide others that are due, because those it saw
     * wait, or somebody has locked them. That it took some without an order says nothing about keys.
     */
    private record Answer(List<WorkItem> items, boolean isOfKeys, boolean mayHideOthers) {}
}
