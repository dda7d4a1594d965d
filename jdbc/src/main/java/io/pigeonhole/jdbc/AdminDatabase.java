package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the admin API needs of one kind of database. Safe for use by many threads. */
interface AdminDatabase {
    /** Looks at rows, all of them as they are at one moment. */
    <T> T look(String what, Work<T> work);

    /** Changes rows; empty where it met a lock for longer than an errand waits, and nothing was changed. */
    <T> Optional<T> change(String doing, Work<T> work);

    /** What is done in a transaction, which is committed afterwards. */
    @FunctionalInterface
    interface Work<T> {
        T run(Session session) throws SQLException;
    }

    /** Binds and executes a look into a part of the history; null where it is not there. */
    @FunctionalInterface
    interface HistoryLook<T> {
        @Nullable
        T in(AdminCall call) throws SQLException;
    }

    /** Such a transaction. Used by one thread. */
    interface Session extends ReplayCalls {
        /** A statement to be bound and closed; where it has {@link AdminCall#ids}, for so many. */
        AdminCall call(AdminStatement statement, int... ids) throws SQLException;

        /** Looks for a message in the history, by {@link AdminStatement#SHOW_HISTORY}; null where it is not there. */
        <T> @Nullable T inHistory(HistoryLook<T> look) throws SQLException;

        /** Forgets the first of what a run skipped, by their places in ascending order, and answers how many there were. */
        default long forgetSkipped(String run, List<Long> places) throws SQLException {
            try (AdminCall call = replay(ReplayStatement.FORGET_SKIPPED)) {
                return call.text(run).id(places.get(places.size() - 1)).change();
            }
        }

        /** A statement about retention to be bound and closed. */
        AdminCall retention(RetentionStatement statement) throws SQLException;

        /** By the database's clock. */
        Instant now() throws SQLException;

        /** Locks lanes, in ascending order, as those do who store messages. */
        void lockLanes(RegisteredConsumer consumer, Collection<Integer> lanes) throws SQLException;

        /** Claims keys, in ascending order, whether the consumer is paused or not. */
        Claim claim(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException;

        /**
         * Moves letters that are locked to their places in work, each due an interval behind the one before it. Answers the
         * ids of those that it moved; one whose message is in work already is not among them, and may be gone or not.
         */
        Set<Long> requeue(RegisteredConsumer consumer, List<Long> ids, Instant first, Duration interval)
                throws SQLException;

        /** Moves a message in work that is locked to the dead letters, where it blocks nothing. */
        void skip(RegisteredConsumer consumer, MessageKey key, long id, String detail) throws SQLException;
    }
}
