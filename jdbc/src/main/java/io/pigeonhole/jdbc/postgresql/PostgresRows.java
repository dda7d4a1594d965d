package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Appended;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.outbox.OutboxRows;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.WorkItems;
import io.pigeonhole.jdbc.transaction.PendingRepair;
import io.pigeonhole.jdbc.transaction.RowOperations;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rows of the inbox on PostgreSQL. */
final class PostgresRows implements RowOperations {
    private final PostgresCalls calls;
    private final DueHints hints;
    private final PendingRepair missingDay;
    private final long begunAt;
    private Runnable afterCommit = () -> {};

    /**
     * The rows in one transaction.
     *
     * @param missingDay makes days of the history
     * @param begunAt when the transaction began, by that repair's clock
     */
    PostgresRows(PostgresCalls calls, DueHints hints, PendingRepair missingDay, long begunAt) {
        this.calls = calls;
        this.hints = hints;
        this.missingDay = missingDay;
        this.begunAt = begunAt;
    }

    /** Keeps where to look for due work next. To be called after the commit. */
    void committed() {
        afterCommit.run();
    }

    @Override
    public Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException {
        return LedgerRows.known(calls, consumer, keys);
    }

    @Override
    public Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes)
            throws SQLException {
        return LedgerRows.conflicting(calls, consumer, hashes);
    }

    @Override
    public Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) throws SQLException {
        return WorkPartitionLocks.blocked(calls, consumer, keys);
    }

    @Override
    public void park(RegisteredConsumer consumer, List<ParkedMessage> messages) throws SQLException {
        WorkRows.park(calls, consumer, messages);
    }

    @Override
    public void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) throws SQLException {
        WorkRows.receive(calls, consumer, messages);
    }

    @Override
    public List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit, long bytes)
            throws SQLException {
        if (consumer.order().isKept()) {
            return DueWork.inOrder(calls, consumer, workPartition, limit, bytes);
        }
        DueHints.WorkPartition of = DueHints.WorkPartition.of(consumer, workPartition);
        DueWork.Taken taken = DueWork.withoutOrder(calls, consumer, workPartition, limit, bytes, hints.of(of));
        afterCommit = () -> hints.note(of, taken.next());
        return taken.items();
    }

    @Override
    public List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) throws SQLException {
        return WorkRows.retake(calls, consumer, ids);
    }

    @Override
    public Appended appended(RegisteredConsumer consumer, String destination, int workPartition, int limit, long bytes)
            throws SQLException {
        try (Call call = calls.planned(OutboxTableStatement.APPENDED)) {
            return call.consumer(consumer)
                    .text("destination", destination)
                    .number("work_partition", workPartition)
                    .number("limit", limit)
                    .number("bytes", bytes)
                    .read(PostgresRows::appended);
        }
    }

    /** Each row says the same of the work partition. */
    private static Appended appended(ResultSet rows) throws SQLException {
        List<AppendedMessage> messages = new ArrayList<>();
        boolean mayBeBlocked = false;
        while (rows.next()) {
            messages.add(OutboxRows.read(rows));
            mayBeBlocked |= rows.getBoolean(OutboxRows.COLUMNS + 1);
        }
        return new Appended(messages, mayBeBlocked);
    }

    @Override
    public void removeAppended(String destination, int workPartition, List<Long> positions) throws SQLException {
        try (Call call = calls.call(OutboxTableStatement.REMOVE)) {
            WorkItems.requireAll(
                    call.text("destination", destination)
                            .number("work_partition", workPartition)
                            .numbers("ids", positions)
                            .change(),
                    positions.size());
        }
    }

    @Override
    public void postpone(RegisteredConsumer consumer, List<PostponedItem> items) throws SQLException {
        WorkRows.postpone(calls, consumer, items);
    }

    @Override
    public void requireLease(RegisteredConsumer consumer, List<WorkItem> items) throws SQLException {
        WorkRows.requireLease(calls, consumer, items);
    }

    @Override
    public void finish(RegisteredConsumer consumer, List<WorkItem> items) throws SQLException {
        WorkRows.finish(calls, consumer, items);
    }

    @Override
    public List<WorkItem> lease(
            RegisteredConsumer consumer, int workPartition, int limit, String owner, Duration duration)
            throws SQLException {
        return LeaseRows.lease(calls, consumer, workPartition, limit, owner, duration);
    }

    @Override
    public boolean hold(RegisteredConsumer consumer, WorkItem item) throws SQLException {
        return LeaseRows.hold(calls, consumer, item);
    }

    @Override
    public List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes) throws SQLException {
        return LeaseRows.takeExpired(calls, consumer, limit, bytes);
    }

    @Override
    public void deadLetter(RegisteredConsumer consumer, List<DeadLetter> letters) throws SQLException {
        DeadLetterRows.add(calls, consumer, letters);
    }

    @Override
    public Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) throws SQLException {
        return DeadLetterRows.seenAgain(calls, consumer, keys);
    }

    @Override
    public Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) throws SQLException {
        return DeadLetterRows.reopen(calls, consumer, keys);
    }

    @Override
    public void record(RegisteredConsumer consumer, List<FinishedMessage> messages) throws SQLException {
        try {
            HistoryRows.record(calls, consumer, messages);
        } catch (SQLException e) {
            if (PostgresStates.CHECK_VIOLATION.equals(e.getSQLState()) && missingDay.isSuspected(begunAt)) {
                throw missingDay.refusal("to record " + messages.size() + " messages", e);
            }
            throw e;
        }
    }
}
