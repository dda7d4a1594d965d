package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.transaction.CallerClaims;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Claims of callers on PostgreSQL, where nothing ends the wait for another transaction but a limit of the statement. */
public final class PostgresCallerClaims implements CallerClaims {
    /** The longest wait for another transaction, where the caller's session or driver has no shorter limit. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final Connection connection;
    private final int seconds;
    private final KnownDays days;
    private final PostgresTexts texts;

    /**
     * Claims on a connection.
     *
     * @param connection the caller's
     * @param longestWait for another transaction, in whole seconds
     * @param days those that the ledger is known to have
     * @param texts of the statements
     */
    public PostgresCallerClaims(Connection connection, Duration longestWait, KnownDays days, PostgresTexts texts) {
        this.connection = connection;
        this.seconds = Math.toIntExact(longestWait.toSeconds());
        this.days = days;
        this.texts = texts;
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, MessageKey key) throws SQLException {
        SimpleMode.refuse(connection);
        try {
            if (!days.have(key)) {
                String sql = texts.sql(PostgresLedgerStatement.CLAIM_BY_HAND);
                return Claims.byHand(connection, sql, consumer, List.of(key), days, seconds);
            }
            boolean isNew = insert(PostgresLedgerStatement.CLAIM_ONE_BY_HAND, true, consumer, key)
                    || insert(PostgresLedgerStatement.CLAIM_ONE_BY_HAND_BEHIND, false, consumer, key);
            return isNew ? Claim.ofAll(List.of(key)) : Claims.known(key, true);
        } catch (SQLException e) {
            days.forget();
            if (Claims.isBlocked(e)) {
                throw new ClaimBlockedException(
                        "another transaction is at work on the same message, and did not end for "
                                + seconds + " s, or as long as the session's lock_timeout and"
                                + " statement_timeout and the driver's queryTimeout allow; or somebody cancelled the claim. Roll"
                                + " back, and hand the message in again later",
                        e);
            }
            throw e;
        }
    }

    /** The one that may be the first statement of its transaction requires that there is one. */
    private boolean insert(PostgresLedgerStatement claim, boolean isFirst, RegisteredConsumer consumer, MessageKey key)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(texts.sql(claim))) {
            Claims.limit(statement, seconds);
            statement.setShort(1, consumer.id());
            statement.setObject(2, key.toUuid());
            statement.execute();
            if (isFirst) {
                statement.getMoreResults();
            }
            return statement.getUpdateCount() == 1;
        }
    }

    /** At every isolation level. */
    @Override
    public void requireCommittedReads() {}

    @Override
    public ErrorClass classify(SQLException failure) {
        return Claims.classify(failure);
    }
}
