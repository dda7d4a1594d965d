package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.WorkItems;
import io.pigeonhole.jdbc.store.BacklogRows;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What is due, on PostgreSQL: looked for from where it was found the last time. */
final class HintedBacklog {
    private HintedBacklog() {}

    /**
     * By {@link PostgresWorkStatement#DUE}, whose rows say how long something takes to be due.
     *
     * @param hints where to begin
     */
    static List<Backlog.Due> due(
            AdminSession session,
            Collection<RegisteredConsumer> consumers,
            Map<DueHints.WorkPartition, DueHints.Hint> hints)
            throws SQLException {
        Map<Short, RegisteredConsumer> byId = BacklogRows.byId(consumers);
        List<Map.Entry<DueHints.WorkPartition, DueHints.Hint>> from = List.copyOf(hints.entrySet());
        try (Call call = session.call(PostgresWorkStatement.DUE)) {
            call.numbers("hinted_consumers", each(from, entry -> entry.getKey().consumer()))
                    .numbers(
                            "hinted_work_partitions",
                            each(from, entry -> entry.getKey().number()))
                    .numbers(
                            "hinted_times", each(from, entry -> entry.getValue().dueAt()))
                    .numbers("consumers", byId.keySet());
            return BacklogRows.read(call, byId, row -> WorkItems.microseconds(row.getLong(BacklogRows.WHEN)));
        }
    }

    private static <T> List<Number> each(List<T> list, Function<T, Number> number) {
        return list.stream().map(number).toList();
    }
}
