package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ErrorClass;
import java.sql.SQLException;

/** Locks the history for a moment against those who write it: once it is locked, all of them have ended. */
record PlainBarrier(ConnectionSource connections, Dialect dialect) implements HistoryBarrier {
    @Override
    public long mark() {
        return 0;
    }

    @Override
    public boolean isPast(long mark) {
        try {
            PlainErrand.alone(connections, dialect, false, dialect::awaitHistoryWriters);
            return true;
        } catch (SQLException e) {
            if (dialect.isLockTimeout(e) || dialect.classOf(e) == ErrorClass.RETRY_NOW) {
                return false;
            }
            throw Refusals.byItself(new PlainErrors(dialect), "to look for older transactions", e);
        }
    }
}
