package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.core.store.WorkItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Items of work as rows of answers and as arrays of parameters. */
final class WorkItems {
    /** How many columns {@link #read} reads. */
    static final int COLUMNS = 15;

    private static final int FIRST_OF_MESSAGE = 8;

    private WorkItems() {}

    static WorkItem read(ResultSet row) throws SQLException {
        return new WorkItem(
                row.getLong(1),
                MessageKey.of(row.getObject(2, UUID.class)),
                MessageColumns.read(row, FIRST_OF_MESSAGE),
                row.getInt(3),
                row.getInt(4),
                microseconds(row.getLong(5)),
                row.getBoolean(6),
                row.getLong(7));
    }

    static List<WorkItem> readAll(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            return readAll(rows);
        }
    }

    static List<WorkItem> readAll(ResultSet rows) throws SQLException {
        List<WorkItem> items = new ArrayList<>();
        while (rows.next()) {
            items.add(read(rows));
        }
        return items;
    }

    static Duration microseconds(long microseconds) {
        return Duration.of(microseconds, ChronoUnit.MICROS);
    }

    static String ids(List<WorkItem> items) {
        return array(items, WorkItem::id);
    }

    static String tokens(List<WorkItem> items) {
        return array(items, WorkItem::token);
    }

    private static String array(List<WorkItem> items, ToLongFunction<WorkItem> number) {
        return items.stream()
                .map(item -> Long.toString(number.applyAsLong(item)))
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** Where not every row was there to be changed, somebody else has taken the message, and all is to be undone. */
    static void requireAll(int changed, int expected) {
        if (changed != expected) {
            throw new StoreException(
                    ErrorClass.RETRY_NOW,
                    "somebody else took " + (expected - changed) + " of " + expected
                            + " messages: their leases ended, or"
                            + " an administrator moved them. Nothing of this transaction may stay",
                    null);
        }
    }

    /** The same for batches in which every statement changes one row. */
    static void requireAll(int[] changed) {
        int count = 0;
        for (int rows : changed) {
            count += rows == 0 ? 0 : 1;
        }
        requireAll(count, changed.length);
    }
}
