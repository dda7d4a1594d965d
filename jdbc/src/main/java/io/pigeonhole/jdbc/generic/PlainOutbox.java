package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.store.Appended;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.outbox.OutboxRows;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.WorkItems;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Messages to send, as a relay reads and deletes them. */
final class PlainOutbox {
    private PlainOutbox() {}

    /** Where a message is, and how many bytes it has. */
    private record Place(long position, long bytes) {}

    static Appended appended(
            PlainSession session,
            RegisteredConsumer consumer,
            String destination,
            int workPartition,
            int limit,
            long bytes)
            throws SQLException {
        List<Long> positions = fitting(page(session, consumer, destination, workPartition, limit), bytes);
        if (positions.isEmpty()) {
            return Appended.NOTHING;
        }
        try (Call call = session.call(OutboxPageStatement.READ, positions.size())) {
            List<AppendedMessage> messages =
                    new ArrayList<>(call.numbers("ids", positions).all(OutboxRows::read));
            // None may be missing: those behind it would overtake it.
            WorkItems.requireAll(messages.size(), positions.size());
            messages.sort(Comparator.comparingLong(AppendedMessage::position));
            return new Appended(messages, mayBeBlocked(session, consumer, workPartition));
        }
    }

    private static boolean mayBeBlocked(PlainSession session, RegisteredConsumer consumer, int workPartition)
            throws SQLException {
        return has(session, OutboxPageStatement.FIRST_WAITING, consumer, workPartition)
                || has(session, OutboxPageStatement.FIRST_BLOCKING, consumer, workPartition);
    }

    private static boolean has(
            PlainSession session, OutboxPageStatement statement, RegisteredConsumer consumer, int workPartition)
            throws SQLException {
        try (Call call = session.call(statement)) {
            return call.consumer(consumer)
                    .number("work_partition", workPartition)
                    .hasRow();
        }
    }

    private static List<Place> page(
            PlainSession session, RegisteredConsumer consumer, String destination, int workPartition, int limit)
            throws SQLException {
        try (Call call = session.call(OutboxPageStatement.PAGE)) {
            return call.consumer(consumer)
                    .text("destination", destination)
                    .number("work_partition", workPartition)
                    .number("limit", limit)
                    .all(row -> new Place(row.getLong(1), row.getLong(2)));
        }
    }

    /** Those that fit into the bytes, and one at least. */
    private static List<Long> fitting(List<Place> page, long bytes) {
        List<Long> positions = new ArrayList<>();
        long total = 0;
        for (Place place : page) {
            total += place.bytes();
            if (total > bytes && !positions.isEmpty()) {
                break;
            }
            positions.add(place.position());
        }
        return positions;
    }

    static void remove(PlainSession session, List<Long> positions) throws SQLException {
        try (Call call = session.call(OutboxPageStatement.REMOVE)) {
            for (Long position : positions) {
                call.number("id", position).addBatch();
            }
            call.changeLockedBatch(positions.size());
        }
    }
}
