package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.sql.KeyArray;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Reads what a claim answers and knows what its errors mean. */
public final class Claims {
    private Claims() {}

    /** Executes statements of which the one behind {@code skipped} others is the claim, with the look for dead letters next. */
    static Claim execute(
            PreparedStatement statement,
            int skipped,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            KnownDays days)
            throws SQLException {
        statement.execute();
        for (int i = 0; i < skipped; i++) {
            statement.getMoreResults();
        }
        Claim claim = read(statement, consumer, keys, days);
        statement.getMoreResults();
        try (ResultSet row = statement.getResultSet()) {
            boolean none = row.next() && row.getObject(1) == null;
            return none ? new Claim(claim.claimed(), claim.oldest(), claim.newest(), false) : claim;
        }
    }

    /**
     * Executes statements of which the one behind {@code skipped} others inserts a key, and answers whether it did. Its parameters
     * are bound from {@code first} on.
     */
    static boolean one(
            PreparedStatement statement,
            int first,
            int skipped,
            RegisteredConsumer consumer,
            MessageKey key,
            List<PayloadHash> hashes)
            throws SQLException {
        bindKey(statement, first, key, hashes);
        statement.setShort(first + 2, consumer.id());
        statement.execute();
        for (int i = 0; i < skipped; i++) {
            statement.getMoreResults();
        }
        try (ResultSet inserted = statement.getResultSet()) {
            return inserted.next();
        }
    }

    private static void bindKey(PreparedStatement statement, int first, MessageKey key, List<PayloadHash> hashes)
            throws SQLException {
        statement.setObject(first, key.toUuid());
        if (hashes.isEmpty()) {
            // Without the type's name the driver asks the server for it each time once the statement is prepared, in a
            // round trip of its own.
            statement.setNull(first + 1, Types.OTHER, "uuid");
        } else {
            statement.setObject(first + 1, hashes.get(0).toUuid());
        }
    }

    /** The same key once more, where {@link #one} has not inserted it: where this does not either, it is known. */
    static Claim oneBehind(
            Connection connection,
            PostgresTexts texts,
            RegisteredConsumer consumer,
            MessageKey key,
            List<PayloadHash> hashes)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(texts.sql(PostgresLedgerStatement.CLAIM_ONE_BEHIND))) {
            statement.setShort(1, consumer.id());
            bindKey(statement, 2, key, hashes);
            statement.setShort(4, consumer.id());
            statement.execute();
            boolean inserted;
            try (ResultSet row = statement.getResultSet()) {
                inserted = row.next();
            }
            statement.getMoreResults();
            try (ResultSet row = statement.getResultSet()) {
                if (!row.next()) {
                    throw notRegistered(consumer);
                }
                if (row.getBoolean(1)) {
                    throw new ConsumerPausedException(consumer.name());
                }
                boolean deadLetters = row.getObject(2) != null;
                return inserted ? Claim.ofAll(List.of(key)) : known(key, deadLetters);
            }
        }
    }

    /** The answer where a key of a day that the ledger has was not claimed. */
    static Claim known(MessageKey key, boolean deadLetters) {
        return new Claim(Set.of(), key, MessageKey.FIRST_DIGEST, deadLetters);
    }

    /**
     * A claim by people or programs, away from the engine: a consumer that is paused is no obstacle.
     *
     * @param sql {@link PostgresLedgerStatement#CLAIM_BY_HAND}
     * @param seconds how long it may take, 0 without a limit
     */
    static Claim byHand(
            Connection connection,
            String sql,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            KnownDays days,
            int seconds)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            limit(statement, seconds);
            statement.setShort(1, consumer.id());
            statement.setString(2, KeyArray.write(keys));
            statement.execute();
            // What requires a transaction stands in front.
            statement.getMoreResults();
            return read(statement, consumer, keys, days);
        }
    }

    /**
     * Ends a statement after so many seconds, unless it came with a shorter limit: a driver may give each one its own, as pgjdbc does
     * with {@code queryTimeout}. 0 is for never, whatever it came with: a pool may hand out one that had a limit before.
     */
    static void limit(Statement statement, int seconds) throws SQLException {
        int own = statement.getQueryTimeout();
        if (seconds == 0 || own == 0 || own > seconds) {
            statement.setQueryTimeout(seconds);
        }
    }

    private static StoreException notRegistered(RegisteredConsumer consumer) {
        return new StoreException(
                ErrorClass.UNKNOWN,
                "inbox_ledger_bounds has no row, or inbox_consumer none with the id " + consumer.id()
                        + "; nobody may delete from them. Run Schema.validate, and register the consumer again",
                null);
    }

    /** The claim of the statement that was just executed, as one of a consumer that may have dead letters. */
    private static Claim read(
            PreparedStatement statement, RegisteredConsumer consumer, List<MessageKey> keys, KnownDays days)
            throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            if (!row.next()) {
                throw notRegistered(consumer);
            }
            if (row.getBoolean(5)) {
                throw new ConsumerPausedException(consumer.name());
            }
            MessageKey oldest = MessageKey.of(row.getObject(1, UUID.class));
            MessageKey newest = MessageKey.of(row.getObject(2, UUID.class));
            Set<MessageKey> claimed =
                    row.getInt(3) == keys.size() ? new HashSet<>(keys) : KeyArray.read(row.getString(4));
            Claim claim = new Claim(claimed, oldest, newest, true);
            days.note(claim, row.getLong(6));
            return claim;
        }
    }

    static ErrorClass classify(SQLException failure) {
        String state = failure.getSQLState();
        // Only the routing of a row to its day raises it here: the day was dropped since the ledger's bounds were read.
        if (PostgresStates.CHECK_VIOLATION.equals(state)) {
            return ErrorClass.RETRY_NOW;
        }
        return PostgresStates.FEATURE_NOT_SUPPORTED.equals(state)
                ? ErrorClass.UNAVAILABLE
                : SqlStates.classify(failure);
    }

    /** Whether the claim waited in vain: for a lock, or until the user's own statement_timeout. */
    static boolean isBlocked(SQLException failure) {
        String state = failure.getSQLState();
        return PostgresStates.LOCK_NOT_AVAILABLE.equals(state) || PostgresStates.QUERY_CANCELED.equals(state);
    }

    /** Whether a transaction could not begin because the session's are read only, or of another isolation level. */
    static boolean beginsOtherwise(SQLException failure) {
        String state = failure.getSQLState();
        return PostgresStates.ACTIVE_SQL_TRANSACTION.equals(state)
                || PostgresStates.READ_ONLY_SQL_TRANSACTION.equals(state);
    }
}
