package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.AdminOperations;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageStatement;
import io.pigeonhole.jdbc.sql.StatementName;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The administrators' operations on a database that does one thing in a statement.
 *
 * @param session the transaction
 */
public record PlainAdminOperations(PlainSession session) implements AdminOperations {
    private static final Logger LOG = LoggerFactory.getLogger(PlainAdminOperations.class);

    private static final long LONG_WAIT_NANOS = Duration.ofMillis(200).toNanos();

    private Call call(StatementName statement) throws SQLException {
        return session.call(statement);
    }

    @Override
    public <T> @Nullable T inHistory(HistoryLook<T> look) throws SQLException {
        try (Call call = call(AdminStatement.SHOW_HISTORY)) {
            return look.in(call);
        }
    }

    @Override
    public boolean insertUnlessThere(Call insert) throws SQLException {
        try {
            return insert.change() == 1;
        } catch (SQLException e) {
            if (session.dialect().isDuplicateKey(e)) {
                return false;
            }
            throw e;
        }
    }

    /**
     * An entry of an index may be somebody else's, such as one who has read the index alone: the row stays then. One by one, because a
     * driver sends a batch as a whole, and each of its statements would wait. Where a database waits at all, this ends with the first
     * that did.
     */
    @Override
    public long deleteLocked(StatementName statement, List<Long> ids) throws SQLException {
        long deleted = 0;
        try (Call call = call(statement)) {
            for (Long id : ids) {
                long begun = System.nanoTime();
                try {
                    deleted += call.number("id", id).change();
                } catch (SQLException e) {
                    if (!session.dialect().isLockTimeout(e)) {
                        throw e;
                    }
                    if (System.nanoTime() - begun > LONG_WAIT_NANOS) {
                        return deleted;
                    }
                }
            }
        }
        return deleted;
    }

    /** Those who store lock one row of a work partition, those who work the other. */
    @Override
    public void addWorkPartitions(RegisteredConsumer consumer) throws SQLException {
        try (Call call = call(MoveStatement.ADD_WORK_PARTITION)) {
            for (WorkPartition workPartition : workPartitions(consumer)) {
                bind(call, consumer, workPartition).addBatch();
            }
            call.changeBatch();
        }
    }

    /** One by one, because others may do so at this moment. */
    @Override
    public void addLostWorkPartitions(RegisteredConsumer consumer) throws SQLException {
        Set<WorkPartition> lost = workPartitions(consumer);
        try (Call call = call(MoveStatement.WORK_PARTITIONS)) {
            call.consumer(consumer)
                    .all(row -> new WorkPartition(row.getString(1), row.getInt(2)))
                    .forEach(lost::remove);
        }
        if (lost.isEmpty()) {
            return;
        }
        try (Call call = call(MoveStatement.ADD_WORK_PARTITION)) {
            for (WorkPartition workPartition : lost) {
                insertUnlessThere(bind(call, consumer, workPartition));
            }
        }
        LOG.warn(
                "inbox_work_partition lacked {} rows of the consumer {}, which are there again. Nobody may delete from it: without them"
                        + " the work of a work partition is not found",
                lost.size(),
                consumer.name());
    }

    private static Set<WorkPartition> workPartitions(RegisteredConsumer consumer) {
        Set<WorkPartition> workPartitions = new LinkedHashSet<>();
        for (String kind : List.of("store", "work")) {
            for (int workPartition = 0; workPartition < consumer.workPartitions(); workPartition++) {
                workPartitions.add(new WorkPartition(kind, workPartition));
            }
        }
        return workPartitions;
    }

    private static Call bind(Call call, RegisteredConsumer consumer, WorkPartition workPartition) throws SQLException {
        return call.consumer(consumer)
                .text("kind", workPartition.kind())
                .number("work_partition", workPartition.number());
    }

    private record WorkPartition(String kind, int number) {}

    @Override
    public void lockWorkPartitions(RegisteredConsumer consumer, Collection<Integer> workPartitions)
            throws SQLException {
        PlainWorkPartitions.lock(session, consumer, workPartitions);
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException {
        return PlainClaims.byHand(session, consumer, keys);
    }

    @Override
    public Set<Long> requeue(RegisteredConsumer consumer, List<Long> ids, Instant first, Duration interval)
            throws SQLException {
        Set<Long> moved = new LinkedHashSet<>();
        for (int i = 0; i < ids.size(); i++) {
            if (copyToWork(ids.get(i), first.plus(interval.multipliedBy(i)))) {
                moved.add(ids.get(i));
            }
        }
        if (!moved.isEmpty()) {
            try (Call call = call(MessageStatement.DELETE_DEAD_LETTER)) {
                for (Long id : moved) {
                    call.number("id", id).addBatch();
                }
                call.changeLockedBatch(moved.size());
            }
        }
        return moved;
    }

    /** One by one, not as a batch: MariaDB's driver makes a bulk of batches, which cannot hold an INSERT that selects. */
    private boolean copyToWork(long id, Instant due) throws SQLException {
        try {
            return copyToWork(id, id, due);
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
            return !isInWorkAgain(id) && copyToWork(id, PlainDeadLetters.anotherPlace(session, id), due);
        }
    }

    private boolean copyToWork(long id, long place, Instant due) throws SQLException {
        try (Call call = call(MoveStatement.REQUEUE)) {
            call.number("place", place)
                    .instant("due", due)
                    .now()
                    .number("id", id)
                    .changeLocked();
            return true;
        }
    }

    private boolean isInWorkAgain(long id) throws SQLException {
        try (Call call = call(MoveStatement.IN_WORK_AGAIN)) {
            Long count = call.number("id", id).first(row -> row.getLong(1));
            return count != null && count > 0;
        }
    }

    @Override
    public void skip(RegisteredConsumer consumer, MessageKey key, long id, String detail) throws SQLException {
        copyToDeadLetters(consumer, key, id, detail);
        try (Call call = call(MessageStatement.DELETE_FROM_WORK)) {
            call.number("id", id).changeLocked();
        }
    }

    /** A duplicate key is one of the message, whose letter came meanwhile, or one of the place. */
    private void copyToDeadLetters(RegisteredConsumer consumer, MessageKey key, long id, String detail)
            throws SQLException {
        int seenAgain = 0;
        long place = id;
        for (int i = 0; i < Places.MOST_TRIES; i++) {
            int seenBefore = PlainDeadLetters.makeRoom(session, consumer, key, true);
            if (seenBefore == PlainDeadLetters.STAYS) {
                return;
            }
            seenAgain += seenBefore;
            if (isCopiedToDeadLetters(id, place, detail)) {
                PlainDeadLetters.recount(session, place, seenAgain);
                return;
            }
            place = PlainDeadLetters.freePlace(session, consumer, key, place);
        }
        throw Places.noneIsFree();
    }

    private boolean isCopiedToDeadLetters(long id, long place, String detail) throws SQLException {
        try (Call call = call(MoveStatement.SKIP)) {
            return insertUnlessThere(
                    call.number("place", place).text("detail", detail).now().number("id", id));
        }
    }
}
