package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.WorkItem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/** Items of work as rows of answers and as arrays of parameters. */
public final class WorkItems {
    /** How many columns {@link #read} reads. */
    public static final int COLUMNS = 15;

    private static final int FIRST_OF_MESSAGE = 8;

    private WorkItems() {}

    public static WorkItem read(ResultSet row) throws SQLException {
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

    public static Duration microseconds(long microseconds) {
        return Duration.of(microseconds, ChronoUnit.MICROS);
    }

    public static List<Long> ids(List<WorkItem> items) {
        return items.stream().map(WorkItem::id).toList();
    }

    /** Where not every row was there to be changed, somebody else has taken the message, and all is to be undone. */
    public static void requireAll(int changed, int expected) {
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
    public static void requireAll(int[] changed) {
        int count = 0;
        for (int rows : changed) {
            count += rows == 0 ? 0 : 1;
        }
        requireAll(count, changed.length);
    }
}
