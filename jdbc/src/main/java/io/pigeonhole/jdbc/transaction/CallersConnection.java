package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.jdbc.JoinedTransaction;
import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import io.pigeonhole.jdbc.sql.Refusals;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A transaction of the caller, of which nothing is known but its connection. Nobody hears of its commit.
 *
 * @param connection the caller's
 */
public record CallersConnection(Connection connection) implements JoinedTransaction {
    /** Looks whether it is in a transaction that can be written in, before each write. */
    @Override
    public void flush() {
        try {
            if (connection.getAutoCommit()) {
                throw new ConfigurationException(
                        "the connection commits by itself after each statement: a message appended on it"
                                + " would be sent although the work fails. Begin a transaction first, with setAutoCommit(false)");
            }
            if (connection.isReadOnly()) {
                throw new ConfigurationException(
                        "the connection is read-only, and no message can be appended on it. Begin a transaction that writes");
            }
        } catch (SQLException e) {
            throw new StoreException(
                    ErrorClass.UNKNOWN,
                    Refusals.describe("to say whether it is in a transaction", e),
                    ErrorsWithoutValues.of(e));
        }
    }

    @Override
    public void afterCommit(Runnable action) {}
}
