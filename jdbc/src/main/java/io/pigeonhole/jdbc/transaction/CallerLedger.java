package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.Refusals;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.sql.Values;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The ledger in a transaction of the caller, whose settings it leaves alone.
 *
 * @param connection the caller's
 * @param statements of the database
 * @param values as the database has them
 * @param claims of that database
 */
public record CallerLedger(Connection connection, Statements statements, Values values, CallerClaims claims)
        implements Ledger {
    @Override
    public Claim claim(RegisteredConsumer consumer, MessageKey key) {
        requireTransaction();
        try {
            return claims.claim(consumer, key);
        } catch (SQLException e) {
            throw refused("the claim of a key", e);
        }
    }

    @Override
    public boolean contains(RegisteredConsumer consumer, MessageKey key) {
        try {
            claims.requireCommittedReads();
            try (Call call =
                    Call.of(connection, statements.get(LedgerQuery.CONTAINS).text(1), values)) {
                return call.consumer(consumer).key(key).hasRow();
            }
        } catch (SQLException e) {
            throw refused("a look-up of a key", e);
        }
    }

    private void requireTransaction() {
        try {
            if (connection.getAutoCommit()) {
                throw new ConfigurationException("the connection commits by itself after each statement: a claim on it"
                        + " would stay when the work fails. Begin a transaction first, with setAutoCommit(false)");
            }
        } catch (SQLException e) {
            throw refused("to say whether it commits by itself", e);
        }
    }

    private StoreException refused(String doing, SQLException failure) {
        ErrorClass errorClass = claims.classify(failure);
        String next = errorClass == ErrorClass.RETRY_NOW ? ". Roll back, and do the whole transaction again" : "";
        return new StoreException(
                errorClass, Refusals.describe(doing, failure) + next, ErrorsWithoutValues.of(failure));
    }
}
