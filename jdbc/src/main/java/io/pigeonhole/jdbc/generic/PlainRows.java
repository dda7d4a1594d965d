package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Appended;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.transaction.RowOperations;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rows of the inbox on a database that goes on after an error. */
record PlainRows(PlainSession session) implements RowOperations {
    @Override
    public Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException {
        return PlainClaims.known(session, consumer, keys);
    }

    @Override
    public Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes)
            throws SQLException {
        return PlainClaims.conflicting(session, consumer, hashes);
    }

    @Override
    public Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) throws SQLException {
        return PlainWorkPartitions.blocked(session, consumer, keys);
    }

    @Override
    public void park(RegisteredConsumer consumer, List<ParkedMessage> messages) throws SQLException {
        PlainWork.park(session, consumer, messages);
    }

    @Override
    public void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) throws SQLException {
        PlainWork.receive(session, consumer, messages);
    }

    @Override
    public List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit, long bytes)
            throws SQLException {
        return new PlainDueWork(session, consumer, workPartition, false).take(limit, bytes);
    }

    @Override
    public List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) throws SQLException {
        return PlainDueWork.retake(session, consumer, ids);
    }

    @Override
    public Appended appended(RegisteredConsumer consumer, String destination, int workPartition, int limit, long bytes)
            throws SQLException {
        return PlainOutbox.appended(session, consumer, destination, workPartition, limit, bytes);
    }

    @Override
    public void removeAppended(String destination, int workPartition, List<Long> positions) throws SQLException {
        PlainOutbox.remove(session, positions);
    }

    @Override
    public void postpone(RegisteredConsumer consumer, List<PostponedItem> items) throws SQLException {
        PlainWork.postpone(session, consumer, items);
    }

    @Override
    public void requireLease(RegisteredConsumer consumer, List<WorkItem> items) throws SQLException {
        PlainWork.requireLease(session, consumer, items);
    }

    @Override
    public void finish(RegisteredConsumer consumer, List<WorkItem> items) throws SQLException {
        PlainWork.finish(session, consumer, items);
    }

    @Override
    public List<WorkItem> lease(
            RegisteredConsumer consumer, int workPartition, int limit, String owner, Duration duration)
            throws SQLException {
        return PlainLeases.lease(session, consumer, workPartition, limit, owner, duration);
    }

    @Override
    public boolean hold(RegisteredConsumer consumer, WorkItem item) throws SQLException {
        return PlainLeases.hold(session, consumer, item);
    }

    @Override
    public List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes) throws SQLException {
        return PlainLeases.takeExpired(session, consumer, limit, bytes);
    }

    @Override
    public void deadLetter(RegisteredConsumer consumer, List<DeadLetter> letters) throws SQLException {
        PlainDeadLetters.add(session, consumer, letters);
    }

    @Override
    public Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) throws SQLException {
        return PlainDeadLetters.seenAgain(session, consumer, keys);
    }

    @Override
    public Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) throws SQLException {
        return PlainDeadLetters.reopen(session, consumer, keys);
    }

    @Override
    public void record(RegisteredConsumer consumer, List<FinishedMessage> messages) throws SQLException {
        PlainWork.record(session, consumer, messages);
    }
}
