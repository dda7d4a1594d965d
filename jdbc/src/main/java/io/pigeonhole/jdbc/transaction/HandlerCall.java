package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of a handler. While it lasts, its contexts, their connection, and whatever that gives out can be used, by one
 * thread at a time; afterwards by none. Without this end a thread that a handler gave up on would write into the transaction
 * behind the rollback to the handler's savepoint. Safe for use by many threads.
 */
public final class HandlerCall {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerCall.class);
    private static final long TIMEOUT_SECONDS = 5;

    private final HandlerTransaction transaction;
    private final ReentrantLock use = new ReentrantLock();
    private volatile boolean ended;
    private volatile @Nullable Statement running;
    private volatile @Nullable IllegalStateException refusedCommit;
    private volatile @Nullable IllegalStateException refusedRollback;
    private @Nullable Connection guarded;
    private boolean changing;
    private final HandlerSavepoints savepoints = new HandlerSavepoints();
    /** Statements with a batch that was collected and not executed. */
    private @Nullable Set<Statement> collecting;

    public HandlerCall(HandlerTransaction transaction) {
        this.transaction = transaction;
    }

    HandlerTransaction transaction() {
        return transaction;
    }

    /** The connection that the handler gets; the same at every call. To be called between {@link #enter} and {@link #leave}. */
    Connection connection(Connection driver) {
        Connection current = guarded;
        if (current == null) {
            current = GuardedConnection.around(driver, this);
            guarded = current;
        }
        return current;
    }

    /**
     * Begins to use the connection, or waits until another thread of the handler has done with it.
     *
     * @throws IllegalStateException if the handler has ended, or the transaction, or it is interrupted while it waits
     * @throws StoreException if the connection is given up
     */
    public void enter() {
        if (!use.tryLock()) {
            awaitTurn();
        }
        try {
            requireOpen();
        } catch (Throwable e) {
            use.unlock();
            throw e;
        }
    }

    private void awaitTurn() {
        try {
            use.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "interrupted while another thread of the handler was using the connection", e);
        }
    }

    /** The handler may change its session. To be called between {@link #enter} and {@link #leave}, or behind the end. */
    void changing() {
        changing = true;
    }

    /** The handler has added to the batch of a statement. To be called between {@link #enter} and {@link #leave}. */
    void collecting(Statement statement) {
        Set<Statement> all = collecting;
        if (all == null) {
            all = Collections.newSetFromMap(new IdentityHashMap<>());
            collecting = all;
        }
        all.add(statement);
    }

    /** The batch of a statement is executed, or cleared. To be called between {@link #enter} and {@link #leave}. */
    void collected(Statement statement) {
        if (collecting != null) {
            collecting.remove(statement);
        }
    }

    /**
     * Clears what a statement has collected, before it is closed. A driver or a pool that keeps statements would execute it with the batch
     * of the next handler that prepares the same. To be called between {@link #enter} and {@link #leave}.
     */
    void clearBatch(Statement statement) {
        if (collecting == null || !collecting.remove(statement)) {
            return;
        }
        try {
            if (!statement.isClosed()) {
                statement.clearBatch();
            }
        } catch (SQLException | RuntimeException e) {
            LOG.debug("a batch that a handler has not executed cannot be cleared: its connection counts as lost", e);
            transaction.lost();
        }
    }

    private void clearBatches() {
        if (collecting != null) {
            List.copyOf(collecting).forEach(this::clearBatch);
        }
    }

    HandlerSavepoints savepoints() {
        return savepoints;
    }

    boolean mayHaveChangedSession() {
        return changing;
    }

    /** Whether the handler had the connection. */
    boolean hadConnection() {
        return guarded != null;
    }

    public void leave() {
        use.unlock();
    }

    /** A statement is about to be executed, between {@link #enter} and {@link #leave}. */
    void running(@Nullable Statement statement) {
        running = statement;
    }

    /** The handler asked for a commit, and is refused. */
    void refusedCommit(IllegalStateException refusal) {
        refusedCommit = refusal;
    }

    /** The handler asked for a rollback of all, and is refused; many libraries do so where their commit has failed. */
    void refusedRollback(IllegalStateException refusal) {
        IllegalStateException before = refusedCommit;
        if (before != null) {
            refusal.addSuppressed(before);
        }
        if (refusedRollback == null) {
            refusedRollback = refusal;
        }
    }

    /**
     * To be called behind the end: a handler that hides that its rollback was refused, or whose library does, takes what it
     * wrote for rolled back.
     *
     * @throws IllegalStateException if there was such a refusal
     */
    void requireNoRefusedRollback() {
        IllegalStateException refusal = refusedRollback;
        if (refusal != null) {
            throw refusal;
        }
    }

    boolean hasEnded() {
        return ended;
    }

    void requireOpen() {
        if (ended) {
            throw new IllegalStateException(
                    "the handler that this context was for has ended, and the connection is of no"
                            + " use to it any more: let a handler wait for the threads that it starts");
        }
        transaction.requireOpen();
    }

    /**
     * Ends it. A thread that is in the middle of something is made to stop first, so that no two threads are at the
     * connection.
     *
     * @throws IllegalStateException if there was one
     * @throws StoreException if it could not be made to stop: the connection is given up
     */
    void end() {
        ended = true;
        if (use.tryLock()) {
            try {
                clearBatches();
            } finally {
                use.unlock();
            }
            return;
        }
        cancel();
        if (!awaitEnd()) {
            transaction.giveUp();
            awaitEnd();
            throw new StoreException(
                    ErrorClass.ABORTED,
                    "a handler ended while another thread was using its connection, and that thread did not stop within "
                            + TIMEOUT_SECONDS + " s: the connection is given up",
                    null);
        }
        throw new IllegalStateException(
                "a handler ended while another thread was using its connection: let a handler wait"
                        + " for the threads that it starts");
    }

    private void cancel() {
        Statement statement = running;
        if (statement != null) {
            try {
                statement.cancel();
            } catch (SQLException | RuntimeException e) {
                LOG.debug("a statement that a handler left behind could not be cancelled", e);
            }
        }
    }

    private boolean awaitEnd() {
        try {
            if (!use.tryLock(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                return false;
            }
            try {
                clearBatches();
            } finally {
                use.unlock();
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
