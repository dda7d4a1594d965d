package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.NoConnectionException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.jdbc.JdbcTransactions;
import io.pigeonhole.jdbc.JoinedTransaction;
import io.pigeonhole.jdbc.OwnTransaction;
import io.pigeonhole.jdbc.sql.StoreSchema;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Where the transactions of handlers come from. Safe for use by many threads.
 *
 * @param transactions of a data source, or of a framework
 * @param schema which their connections are bound to for statements of ours; null where a database has none
 * @param appendsInOrder whether those that append to one key of an outbox wait for each other
 */
public record TransactionSource(
        JdbcTransactions transactions, @Nullable StoreSchema schema, boolean appendsInOrder) {
    /** Those in which nobody waits to append. */
    public TransactionSource(JdbcTransactions transactions, @Nullable StoreSchema schema) {
        this(transactions, schema, false);
    }

    /** Begins one. */
    OwnTransaction begin() {
        try {
            return transactions.begin();
        } catch (PigeonholeException e) {
            throw e;
        } catch (SQLException | RuntimeException e) {
            String why = FailureText.describe(e);
            // A framework opens its connections itself, and has exceptions of its own where a pool has none.
            throw transactions instanceof DataSourceTransactions
                    ? new StoreUnavailableException("the connection takes no transaction: " + why, e)
                    : new NoConnectionException("the framework begins no transaction: " + why, e);
        }
    }

    /** Its connection, as statements of ours use it. */
    public Connection bound(JoinedTransaction transaction) {
        return bound(transaction.connection());
    }

    /** A connection, as statements of ours use it. */
    public Connection bound(Connection connection) {
        return schema == null ? connection : schema.bind(connection);
    }
}
