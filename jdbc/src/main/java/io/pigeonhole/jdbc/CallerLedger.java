package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ClaimBlockedException;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The ledger in a transaction of the caller, whose settings it leaves alone. */
final class CallerLedger implements Ledger {
    /** The longest wait for another transaction, where the caller's session does not say how long to wait for a lock. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** The limit of the wait. */
    private static final int RESULTS_BEFORE_CLAIM = 1;

    private final Connection connection;
    private final Duration longestWait;

    /**
     * The ledger on a connection.
     *
     * @param connection the caller's
     * @param longestWait for another transaction, where the caller's session does not say how long to wait for a lock
     */
    CallerLedger(Connection connection, Duration longestWait) {
        this.connection = connection;
        this.longestWait = longestWait;
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, MessageKey key) {
        requireTransaction();
        try {
            return claimOne(consumer, key)
                    ? Claim.ofAll(List.of(key))
                    : Claims.byHand(connection, consumer, List.of(key));
        } catch (SQLException e) {
            if (Claims.isBlocked(e)) {
                throw new ClaimBlockedException(
                        "another transaction is at work on the same message, and did not end for as long as the session's"
                                + " lock_timeout and statement_timeout allow, or " + longestWait.toMillis()
                                + " ms where it has no lock_timeout. Roll back, and hand the message in again later",
                        e);
            }
            throw Refusals.of(Claims.classify(e), "the claim of a key", e);
        }
    }

    private boolean claimOne(RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.CLAIM_ONE_BY_HAND)) {
            statement.setString(1, longestWait.toMillis() + "ms");
            statement.setObject(2, key.toUuid());
            statement.setShort(3, consumer.id());
            return Claims.isInserted(statement, RESULTS_BEFORE_CLAIM);
        }
    }

    @Override
    public boolean contains(RegisteredConsumer consumer, MessageKey key) {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.CONTAINS)) {
            for (int i = 1; i <= 5; i += 2) {
                statement.setShort(i, consumer.id());
                statement.setObject(i + 1, key.toUuid());
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        } catch (SQLException e) {
            throw Refusals.inTransaction("a look-up of a key", e);
        }
    }

    private void requireTransaction() {
        try {
            if (connection.getAutoCommit()) {
                throw new ConfigurationException("the connection commits by itself after each statement: a claim on it"
                        + " would stay when the work fails. Begin a transaction first, with setAutoCommit(false)");
            }
        } catch (SQLException e) {
            throw Refusals.inTransaction("to say whether it commits by itself", e);
        }
    }
}
