package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.SQLException;

/** The ledger in a transaction of the caller, whose settings it leaves alone. */
final class PlainCallerLedger implements Ledger {
    /** A level that JDBC does not know. */
    private static final String REMEDY =
            "Call setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED) before the transaction begins";

    private final Connection connection;
    private final Dialect dialect;

    PlainCallerLedger(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, MessageKey key) {
        requireTransaction();
        try {
            if (!dialect.holdsHorizon()) {
                requireReadCommitted();
            }
            PlainSession session = dialect.holdHorizonAndClaim() == null
                    ? PlainSession.on(connection, dialect)
                    : PlainSession.withoutClock(connection, dialect);
            return PlainClaims.ofCaller(session, consumer, key);
        } catch (SQLException e) {
            throw Refusals.of(new PlainErrors(dialect).classify(e), "the claim of a key", e);
        }
    }

    @Override
    public boolean contains(RegisteredConsumer consumer, MessageKey key) {
        requireCommittedReads();
        try (Call call = PlainSession.withoutClock(connection, dialect).call(LedgerStatement.CONTAINS)) {
            return Boolean.TRUE.equals(call.consumer(consumer).key(key).first(row -> row.getBoolean(1)));
        } catch (SQLException e) {
            throw Refusals.of(new PlainErrors(dialect).classify(e), "a look-up of a key", e);
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
    private void requireCommittedReads() {
        try {
            int level = connection.getTransactionIsolation();
            if (level == Connection.TRANSACTION_READ_UNCOMMITTED) {
                throw new ConfigurationException("the transaction is " + nameOf(level)
                        + ": a look-up in it would see messages of transactions that may be rolled back. " + REMEDY);
            }
        } catch (SQLException e) {
            throw Refusals.of(new PlainErrors(dialect).classify(e), "to say which isolation level it has", e);
        }
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

    private void requireTransaction() {
        try {
            if (connection.getAutoCommit()) {
                throw new ConfigurationException("the connection commits by itself after each statement: a claim on it"
                        + " would stay when the work fails. Begin a transaction first, with setAutoCommit(false)");
            }
        } catch (SQLException e) {
            throw Refusals.of(new PlainErrors(dialect).classify(e), "to say whether it commits by itself", e);
        }
    }
}
