package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds and locks what is due in a lane. With an order it looks at the messages that are due first, and from each of them at
 * its key. That costs nothing for the many that wait; but where all that it looked at stand behind heads that are not due,
 * or that somebody has locked, it goes from head to head instead, once and past all locked ones. That costs something for
 * each key of the lane and finds all.
 */
final class DueWork {
    private static final int DUE_AT = WorkItems.COLUMNS + 1;
    private static final int LOCKED = DUE_AT + 1;
    private static final int PLANNED = WorkItems.COLUMNS + 1;
    private static final int PLANNED_KEY = PLANNED + 1;
    private static final int OF_KEYS = PLANNED + 2;
    private static final int MESSAGES_SEEN = PLANNED + 3;

    private static final String TAKE = PostgresStatements.withoutHandlersLimit(WorkStatements.TAKE);

    private static final String TAKE_BY_DUE = PostgresStatements.withoutHandlersLimit(LaneStatements.TAKE_BY_DUE);

    private static final String TAKE_BY_HEADS = PostgresStatements.withoutHandlersLimit(LaneStatements.TAKE_BY_HEADS);

    private DueWork() {}

    /**
     * Looks from a hint on, and from the beginning where there is nothing. Where there is less than a full batch, the next
     * look is one from the beginning.
     */
    static Taken withoutOrder(
            Connection connection, RegisteredConsumer consumer, int lane, int limit, long bytes, DueHints.Hint hint)
            throws SQLException {
        Taken taken = from(connection, consumer, lane, limit, bytes, hint);
        return taken.items().isEmpty() && !hint.isFromBeginning()
                ? from(
                        connection,
                        consumer,
                        lane,
                        limit,
                        bytes,
                        new DueHints.Hint(DueHints.BEGINNING, System.nanoTime()))
                : taken;
    }

    private static Taken from(
            Connection connection, RegisteredConsumer consumer, int lane, int limit, long bytes, DueHints.Hint hint)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TAKE)) {
            statement.setShort(1, consumer.id());
            statement.setInt(2, lane);
            statement.setLong(3, hint.dueAt());
            statement.setInt(4, limit);
            statement.setLong(5, bytes);
            List<WorkItem> items = new ArrayList<>();
            long last = DueHints.BEGINNING;
            int locked = 0;
            try (ResultSet rows = search(statement)) {
                while (rows.next()) {
                    items.add(WorkItems.read(rows));
                    last = rows.getLong(DUE_AT);
                    locked = rows.getInt(LOCKED);
                }
            }
            return new Taken(items, hint.movedTo(locked < limit && items.size() == locked ? DueHints.BEGINNING : last));
        }
    }

    static List<WorkItem> inOrder(Connection connection, RegisteredConsumer consumer, int lane, int limit, long bytes)
            throws SQLException {
        return inOrder(connection, new Search(consumer, lane, false, limit, limit, bytes));
    }

    /** Of messages that need a lease only the heads: what is behind one must not begin before it is finished. */
    static List<WorkItem> heads(Connection connection, RegisteredConsumer consumer, int lane, int limit)
            throws SQLException {
        return inOrder(connection, new Search(consumer, lane, true, limit, 1, Long.MAX_VALUE));
    }

    private static List<WorkItem> inOrder(Connection connection, Search search) throws SQLException {
        Answer answer = ask(connection, TAKE_BY_DUE, search);
        if (answer.isOfKeys || !answer.mayHideOthers) {
            return answer.items;
        }
        Answer further = ask(connection, TAKE_BY_HEADS, search);
        return further.items.isEmpty() ? answer.items : further.items;
    }

    private static Answer ask(Connection connection, String sql, Search search) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            search.bind(statement);
            return read(statement, search.limit);
        }
    }

    /** The answer of {@link PostgresStatements#withoutHandlersLimit}: the search stands behind the setting of its limit. */
    static ResultSet search(PreparedStatement statement) throws SQLException {
        statement.execute();
        statement.getMoreResults();
        return statement.getResultSet();
    }

    /** What was planned but could not be locked cuts its key: what is behind it would overtake it. */
    private static Answer read(PreparedStatement statement, int limit) throws SQLException {
        try (ResultSet rows = search(statement)) {
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
    }

    /** What was taken, and where to look next once that is committed. */
    record Taken(List<WorkItem> items, DueHints.Hint next) {}

    /** What is looked for: messages of a lane, so many at most, of one key and in bytes too. */
    private record Search(RegisteredConsumer consumer, int lane, boolean byLease, int limit, int ofKey, long bytes) {
        void bind(PreparedStatement statement) throws SQLException {
            statement.setShort(1, consumer.id());
            statement.setInt(2, lane);
            statement.setBoolean(3, byLease);
            statement.setLong(4, limit);
            statement.setLong(5, ofKey);
            statement.setLong(6, bytes);
        }
    }

    /**
     * What a search came to: whether any of it has an order, and whether it may hide others that are due, because those it saw
     * wait, or somebody has locked them. That it took some without an order says nothing about keys.
     */
    private record Answer(List<WorkItem> items, boolean isOfKeys, boolean mayHideOthers) {}
}
