package io.pigeonhole.jdbc;

import java.sql.SQLException;

/**
 * A transaction that the store has begun and ends: by {@link #commit} or {@link #rollback}, and {@link #close} in any case. The
 * connection has to know savepoints. Used by one thread.
 */
public interface OwnTransaction extends JoinedTransaction, AutoCloseable {
    /**
     * What is to be done on the connection once the transaction has ended, before anybody else gets it, also after a rollback. It
     * puts back settings of the session, and may look what became of the transaction. Called at most once, before anything else. Where
     * it throws, nobody else may get the connection: it is to be ended as {@link #discard} says.
     *
     * @param restoration what to do; it executes statements in auto-commit, or commits them itself
     */
    void beforeRelease(Restoration restoration);

    /**
     * Commits, with all that the framework does at a commit. To return says that all of it is committed for certain; a framework that
     * rolls back silently what is marked for rollback only has to be asked what became of it. Nothing that it does within this may hide
     * an error of the database: MariaDB, MySQL and H2 roll everything back at a deadlock, and the COMMIT behind it succeeds with nothing.
     * What {@link #beforeRelease} was given finds that, where it is run within this, and a handler has run or a message was claimed.
     * No handler may call it: the store names one that does.
     *
     * @throws RolledBackException if it is rolled back for certain; only {@link #close} is called then
     * @throws SQLException if the database refused, as the driver threw it: by its SQLSTATE the store knows whether the transaction may
     *     have been committed
     * @throws RuntimeException for everything else, such as what is thrown behind the commit: the outcome is taken for unknown, whatever
     *     the causes are. The same messages are handed in again, and the ledger says what became of them; so what is rolled back each
     *     time, and not said to be, is handed in for ever
     */
    void commit() throws SQLException;

    /**
     * Rolls back.
     *
     * @throws SQLException if the database refused; the store gives the connection up then
     */
    void rollback() throws SQLException;

    /**
     * Says that the connection is of no use any more: it is ended and not given to anybody else. Does nothing where it is given back
     * already. Does not throw.
     *
     * <p>What is to be aborted is the driver's own connection ({@code connection.unwrap(Connection.class)}): Agroal up to 3.0 and c3p0 never
     * free the place of one that is aborted through them. A statement behind it shows the pool that it is dead, and then it is closed.
     */
    void discard();

    /** Rolls back what was neither committed nor rolled back, and gives the connection back. Does not throw. */
    @Override
    void close();

    /** Something to do on a connection between two of its users. */
    @FunctionalInterface
    interface Restoration {
        /**
         * Does it.
         *
         * @param autoCommit whether the connection is going to commit each statement by itself
         * @throws SQLException if the database refused
         */
        void run(boolean autoCommit) throws SQLException;
    }
}
