package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What databases do in ways of their own in a transaction of {@link AdminSession}. Used by one thread. */
public interface AdminOperations {
    /** Looks at a part of the history; null where what is looked for is not there. */
    @FunctionalInterface
    interface HistoryLook<T> {
        @Nullable
        T in(Call call) throws SQLException;
    }

    /** Looks for a message in the history, by {@link AdminStatement#SHOW_HISTORY}; null where it is not there. */
    <T> @Nullable T inHistory(HistoryLook<T> look) throws SQLException;

    /** Inserts a row; false where one with its key is there, or was inserted meanwhile. The transaction goes on. */
    boolean insertUnlessThere(Call insert) throws SQLException;

    /**
     * Deletes rows that are locked, each by its {@code id}, the only parameter of a statement, and answers how many. One that cannot
     * be deleted at once nevertheless may stay.
     */
    long deleteLocked(StatementName statement, List<Long> ids) throws SQLException;

    /** Adds the rows that are locked where others lock a work partition, if the database has such rows. */
    void addWorkPartitions(RegisteredConsumer consumer) throws SQLException;

    /** The same for a consumer that should have them: adds those that somebody has deleted. */
    void addLostWorkPartitions(RegisteredConsumer consumer) throws SQLException;

    /** Locks work partitions, in ascending order, as those do who store messages. */
    void lockWorkPartitions(RegisteredConsumer consumer, Collection<Integer> workPartitions) throws SQLException;

    /** Claims keys, in ascending order, whether the consumer is paused or not. */
    Claim claim(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException;

    /**
     * Moves letters that are locked to their places in work, each due an interval behind the one before it. Answers the ids of
     * those that it moved; one whose message is in work already stays.
     */
    Set<Long> requeue(RegisteredConsumer consumer, List<Long> ids, Instant first, Duration interval)
            throws SQLException;

    /** Moves a message in work that is locked to the dead letters, where it blocks nothing. */
    void skip(RegisteredConsumer consumer, MessageKey key, long id, String detail) throws SQLException;
}
