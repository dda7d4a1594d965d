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
    /** The longest wait for another transaction, where the caller's session or driver has no shorter limit. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final Connection connection;
    private final int seconds;
    private final KnownDays days;

    /**
     * The ledger on a connection.
     *
     * @param connection the caller's
     * @param longestWait for another transaction, in whole seconds
     * @param days those that the ledger is known to have
     */
    CallerLedger(Connection connection, Duration longestWait, KnownDays days) {
        this.days = days;
        this.connection = connection;
        this.seconds = Math.toIntExact(longestWait.toSeconds());
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, MessageKey key) {
        requireTransaction();
        try {
            if (!days.have(key)) {
                return Claims.byHand(connection, consumer, List.of(key), days, seconds);
            }
            boolean isNew = insert(PostgresStatements.CLAIM_ONE_BY_HAND, consumer, key)
                    || insert(PostgresStatements.CLAIM_ONE_BY_HAND_BEHIND, consumer, key);
            return isNew ? Claim.ofAll(List.of(key)) : Claims.known(key, true);
        } catch (SQLException e) {
            days.forget();
            if (Claims.isBlocked(e)) {
                throw new ClaimBlockedException(
                        "another transaction is at work on the same message, and did not end for "
                                + seconds + " s, or as long as the session's lock_timeout and"
                                + " statement_timeout and the driver's queryTimeout allow. Roll back, and hand the message in"
                                + " again later",
                        e);
            }
            throw Refusals.of(Claims.classify(e), "the claim of a key", e);
        }
    }

    private boolean insert(String sql, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Claims.limit(statement, seconds);
            statement.setShort(1, consumer.id());
            statement.setObject(2, key.toUuid());
            return statement.executeUpdate() == 1;
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
