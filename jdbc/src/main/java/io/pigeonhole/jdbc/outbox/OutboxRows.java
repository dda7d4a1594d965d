package io.pigeonhole.jdbc.outbox;

import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The rows of {@code outbox_message}, as a relay reads them. */
public final class OutboxRows {
    /** How many columns {@link #read} reads. */
    public static final int COLUMNS = 8;

    private static final List<Integer> WORK_PARTITIONS =
            IntStream.range(0, Outbox.WORK_PARTITIONS).boxed().toList();

    private OutboxRows() {}

    /** Position, destination, id, type, ordering key, headers, content type and payload. */
    public static AppendedMessage read(ResultSet row) throws SQLException {
        return OutboxColumns.read(row);
    }

    /** Which work partitions have messages. */
    public static Set<Integer> workPartitions(ShortTransactions transactions, String destination) {
        return transactions.run("to find messages to send to " + destination, session -> {
            try (Call call = session.call(OutboxStatement.WITH_APPENDED, WORK_PARTITIONS.size())) {
                return new TreeSet<>(call.text("destination", destination)
                        .numbers("work_partitions", WORK_PARTITIONS)
                        .all(row -> row.getInt(1)));
            }
        });
    }
}
