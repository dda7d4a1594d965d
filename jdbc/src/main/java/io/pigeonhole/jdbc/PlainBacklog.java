package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is due. */
final class PlainBacklog {
    private static final int NO_LANE = -1;

    private PlainBacklog() {}

    /** Consumer, kind and lane. */
    private record Where(short consumer, Backlog.Kind kind, int lane) {}

    static List<Backlog.Due> due(PlainSession session, Collection<RegisteredConsumer> consumers) throws SQLException {
        Map<Short, RegisteredConsumer> byId = new HashMap<>();
        consumers.forEach(consumer -> byId.put(consumer.id(), consumer));
        Map<Where, Instant> first = new HashMap<>();
        try (Call call = session.call(WorkStatement.DUE, byId.size())) {
            call.numbers("consumers", byId.keySet()).read(rows -> {
                while (rows.next()) {
                    Backlog.Kind kind = Backlog.Kind.of(rows.getBoolean(2));
                    note(first, new Where(rows.getShort(1), kind, rows.getInt(3)), PlainColumns.instantOrNull(rows, 4));
                }
                return first;
            });
        }
        try (Call call = session.call(WorkStatement.EXPIRING, byId.size())) {
            call.numbers("consumers", byId.keySet()).read(rows -> {
                while (rows.next()) {
                    Where where = new Where(rows.getShort(1), Backlog.Kind.EXPIRING, NO_LANE);
                    note(first, where, PlainColumns.instantOrNull(rows, 2));
                }
                return first;
            });
        }
        Instant now = session.now();
        List<Backlog.Due> due = new ArrayList<>();
        first.forEach((where, at) -> {
            RegisteredConsumer consumer = byId.get(where.consumer());
            if (consumer != null) {
                Duration in = at.isAfter(now) ? Duration.between(now, at) : Duration.ZERO;
                due.add(new Backlog.Due(consumer, where.kind(), where.lane(), in));
            }
        });
        return due;
    }

    private static void note(Map<Where, Instant> first, Where where, @Nullable Instant at) {
        if (at != null) {
            first.merge(where, at, (one, other) -> one.isBefore(other) ? one : other);
        }
    }
}
