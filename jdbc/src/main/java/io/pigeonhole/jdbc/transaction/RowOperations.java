package io.pigeonhole.jdbc.transaction;

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
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How one kind of database reads and changes the rows of the inbox in a transaction that has begun. What each operation means is
 * said where the engine calls it, at {@link io.pigeonhole.core.store.InboxTransaction}; lists are never empty where they name
 * what is written. Used by one thread.
 */
public interface RowOperations {
    Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException;

    Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes) throws SQLException;

    Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) throws SQLException;

    void park(RegisteredConsumer consumer, List<ParkedMessage> messages) throws SQLException;

    void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) throws SQLException;

    List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit, long bytes) throws SQLException;

    List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) throws SQLException;

    Appended appended(RegisteredConsumer consumer, String destination, int workPartition, int limit, long bytes)
            throws SQLException;

    void removeAppended(String destination, int workPartition, List<Long> positions) throws SQLException;

    void postpone(RegisteredConsumer consumer, List<PostponedItem> items) throws SQLException;

    void requireLease(RegisteredConsumer consumer, List<WorkItem> items) throws SQLException;

    void finish(RegisteredConsumer consumer, List<WorkItem> items) throws SQLException;

    List<WorkItem> lease(RegisteredConsumer consumer, int workPartition, int limit, String owner, Duration duration)
            throws SQLException;

    boolean hold(RegisteredConsumer consumer, WorkItem item) throws SQLException;

    List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes) throws SQLException;

    void deadLetter(RegisteredConsumer consumer, List<DeadLetter> letters) throws SQLException;

    Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) throws SQLException;

    Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) throws SQLException;

    void record(RegisteredConsumer consumer, List<FinishedMessage> messages) throws SQLException;
}
