package io.pigeonhole.jdbc.store;

import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.StoredNames;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Acquires the watermark of a partition: whoever had it before cannot advance it any more. */
public final class WatermarkAcquisition {
    private WatermarkAcquisition() {}

    public static Watermark acquire(
            AdminSession session, RegisteredConsumer consumer, LogPartition partition, String log) throws SQLException {
        requireMode(session, consumer);
        Watermark before = lock(session, consumer, partition);
        if (before == null) {
            insert(session, consumer, partition, log);
            before = lock(session, consumer, partition);
        }
        if (before == null) {
            throw new SQLException("the watermark of " + partition + " was inserted and is gone again");
        }
        if (before.hasPosition() && !before.log().equals(log)) {
            throw consumer.otherLog(partition, before.log(), log);
        }
        long assignment = before.assignment() + 1;
        try (Call call = session.call(WatermarkAcquisitionStatement.ACQUIRE)) {
            bind(call, consumer, partition)
                    .number("assignment", assignment)
                    .text("log", log)
                    .now()
                    .changeLocked();
        }
        return new Watermark(partition, log, assignment, before.position(), before.leaderEpoch());
    }

    /** Whoever changes the mode takes all partitions away: from then on it stays until the partition is acquired, to be taken away too. */
    private static void requireMode(AdminSession session, RegisteredConsumer consumer) throws SQLException {
        try (Call call = session.call(WatermarkAcquisitionStatement.DEDUPLICATION)) {
            String mode = call.consumer(consumer).read(row -> {
                row.next();
                return row.getString(1);
            });
            consumer.requireDeduplication(
                    StoredNames.read(Deduplication.class, mode, StoredNames.consumer(consumer.name())));
        }
    }

    private static @Nullable Watermark lock(AdminSession session, RegisteredConsumer consumer, LogPartition partition)
            throws SQLException {
        try (Call call = session.call(WatermarkAcquisitionStatement.LOCK)) {
            return bind(call, consumer, partition)
                    .first(row ->
                            new Watermark(partition, row.getString(1), row.getLong(2), row.getLong(3), row.getInt(4)));
        }
    }

    /** Where somebody else was first, that one's row does. */
    private static void insert(AdminSession session, RegisteredConsumer consumer, LogPartition partition, String log)
            throws SQLException {
        try (Call call = session.call(WatermarkAcquisitionStatement.INSERT)) {
            session.operations()
                    .insertUnlessThere(
                            bind(call, consumer, partition).text("log", log).now());
        }
    }

    private static Call bind(Call call, RegisteredConsumer consumer, LogPartition partition) throws SQLException {
        return call.consumer(consumer).text("source", partition.source()).number("partition", partition.partition());
    }
}
