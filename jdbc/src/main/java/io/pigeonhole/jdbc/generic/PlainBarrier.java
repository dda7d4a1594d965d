package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.replay.HistoryBarrier;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.time.Duration;

/** Locks the history for a moment against those who write it: once it is locked, all of them have ended. */
record PlainBarrier(ShortTransactions transactions, Dialect dialect) implements HistoryBarrier {
    /**
     * Between the look at the clock and the statement that records with it there is one round trip, or a pause of the
     * process.
     */
    private static final Duration DELAY = Duration.ofSeconds(30);

    @Override
    public long mark() {
        return 0;
    }

    @Override
    public Duration delay() {
        return DELAY;
    }

    @Override
    public boolean isPast(long mark) {
        try {
            transactions.withAutoCommit(dialect::awaitHistoryWriters);
            return true;
        } catch (SQLException e) {
            if (transactions.isLockTimeout(e) || dialect.classOf(e) == ErrorClass.RETRY_NOW) {
                return false;
            }
            throw transactions.refused("to look for older transactions", e);
        }
    }
}
