package io.pigeonhole.jdbc;

import java.sql.SQLException;
import java.util.Optional;

/**
 * How transactions begin and end: what a framework that has transactions of its own puts in the place of a data source, so that what
 * handlers write through the framework and what the inbox writes are one transaction. Name it with
 * {@link JdbcStore.Builder#transactions}. Implementations must be safe for use by many threads; the contract is
 * {@code TransactionsContract} of the testkit.
 *
 * <p>The store uses it for the transactions in which handlers run. What it does by itself, such as creating days or answering an
 * administrator, it does on connections of its data source, which must be the same database.
 */
public interface JdbcTransactions {
    /**
     * Begins a new transaction for the calling thread, which is in none. It has to be read committed and writable, unless the store
     * makes it so, its connection has to have auto-commit off, and nothing may have been executed in it. Where the framework binds
     * transactions to threads, it is bound until {@link OwnTransaction#close}.
     *
     * @return a transaction that the caller ends and closes
     * @throws SQLException if the database gives no connection, or refuses the transaction
     */
    OwnTransaction begin() throws SQLException;

    /**
     * The transaction that the calling thread is in and that somebody else ends.
     *
     * @return empty where the thread is in none, or in one of another database
     */
    Optional<JoinedTransaction> current();
}
