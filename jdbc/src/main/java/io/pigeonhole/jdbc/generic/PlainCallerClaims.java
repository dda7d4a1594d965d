package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.H2;
import io.pigeonhole.jdbc.dialect.PlainErrors;
import io.pigeonhole.jdbc.transaction.CallerClaims;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Claims of callers where the isolation level of their transaction matters.
 *
 * @param connection the caller's
 * @param dialect of the database
 */
record PlainCallerClaims(Connection connection, Dialect dialect) implements CallerClaims {
    private static final String REMEDY =
            "Call setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED) before the transaction begins";

    @Override
    public Claim claim(RegisteredConsumer consumer, MessageKey key) throws SQLException {
        if (!dialect.holdsBounds()) {
            requireReadCommitted();
        }
        PlainSession session = dialect.holdBoundsAndClaim() == null
                ? PlainSession.on(connection, dialect)
                : PlainSession.withoutClock(connection, dialect);
        try {
            return PlainClaims.ofCaller(session, consumer, key);
        } catch (SQLException e) {
            if (dialect.isLockTimeout(e)) {
                throw new ClaimBlockedException(
                        "another transaction is at work on the same message, and did not end for as long as the session's lock"
                                + " timeout allows. Roll back, and hand the message in again later",
                        e);
            }
            throw e;
        }
    }

    private void requireReadCommitted() throws SQLException {
        int level = connection.getTransactionIsolation();
        if (level != Connection.TRANSACTION_READ_COMMITTED) {
            throw new ConfigurationException("the transaction is " + nameOf(level) + ": on " + dialect
                    + " a claim in it could take a message for new that was accepted before. " + REMEDY);
        }
    }

    /** A key that another transaction has inserted may be gone again with that transaction. */
    @Override
    public void requireCommittedReads() throws SQLException {
        int level = connection.getTransactionIsolation();
        if (level == Connection.TRANSACTION_READ_UNCOMMITTED) {
            throw new ConfigurationException("the transaction is " + nameOf(level)
                    + ": a look-up in it would see messages of transactions that may be rolled back. " + REMEDY);
        }
    }

    @Override
    public ErrorClass classify(SQLException failure) {
        return new PlainErrors(dialect).classify(failure);
    }

    private static String nameOf(int level) {
        return switch (level) {
            case Connection.TRANSACTION_READ_UNCOMMITTED -> "READ UNCOMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
            case H2.SNAPSHOT -> "SNAPSHOT";
            default -> "of the isolation level " + level;
        };
    }
}
