package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.sql.Errors;
import java.sql.SQLException;
import java.time.Duration;

/**
 * What errors mean in a transaction that may have been idle for too long. PostgreSQL ends its session then and says so, with SQLSTATE
 * 25P03; but a driver that is in the middle of sending something large meets the end of the connection and never reads that. So a
 * connection that is lost after such a time means the same. Used by one thread at a time.
 */
final class IdleErrors implements Errors {
    /** The SQLSTATE of a session that was ended because its transaction was idle. */
    private static final String IDLE = "25P03";

    private final Duration limit;
    private long usedAt = System.nanoTime();
    private boolean tooLong;

    /**
     * The errors of a transaction.
     *
     * @param limit for how long it may be idle
     */
    IdleErrors(Duration limit) {
        this.limit = limit;
    }

    /** Something is about to be sent. Answers whether nothing was for too long. */
    boolean using() {
        tooLong |= System.nanoTime() - usedAt >= limit.toNanos();
        return tooLong;
    }

    /** Something was sent. */
    void used() {
        usedAt = System.nanoTime();
    }

    /** It was not idle, although nobody saw it, or the database has answered since. */
    void notIdle() {
        used();
        tooLong = false;
    }

    private boolean isLostWhileIdle(SQLException failure) {
        String state = failure.getSQLState();
        return tooLong && state != null && state.startsWith("08");
    }

    /** The error that the handler gets: it says as well why the connection is lost. */
    Throwable forHandler(Throwable failure) {
        return failure instanceof SQLException e && isLostWhileIdle(e)
                ? new SQLException(
                        "the connection is lost after the transaction was idle for longer than " + limit.toMillis()
                                + " ms, the handler's timeout: " + e.getMessage(),
                        IDLE,
                        e)
                : failure;
    }

    @Override
    public ErrorClass classOf(SQLException failure) {
        return isLostWhileIdle(failure) ? ErrorClass.ABORTED : SqlStates.ERRORS.classOf(failure);
    }

    @Override
    public boolean leavesCommitOpen(SQLException failure) {
        return SqlStates.ERRORS.leavesCommitOpen(failure);
    }

    @Override
    public boolean endsConnection(SQLException failure) {
        return SqlStates.ERRORS.endsConnection(failure);
    }

    @Override
    public boolean isLockTimeout(SQLException failure) {
        return SqlStates.ERRORS.isLockTimeout(failure);
    }

    @Override
    public boolean isFull(SQLException failure) {
        return SqlStates.ERRORS.isFull(failure);
    }
}
