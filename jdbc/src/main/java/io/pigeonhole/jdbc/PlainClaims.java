package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ConsumerPausedException;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claims where one statement cannot insert what is new and say what was not: it looks what the ledger has, and inserts the
 * rest in the order of the keys. That waits for others who are inserting the same; where one of them commits, the insert
 * fails as a whole, and it looks again. A statement that fails leaves the transaction as it was.
 */
final class PlainClaims {
    /** Keys of one question: enough to save trips, few enough for any limit on parameters or packets. */
    private static final int KEYS = 500;

    private PlainClaims() {}

    /** The claim of the engine. */
    static Claim claim(
            PlainSession session, RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes)
            throws SQLException {
        Map<MessageKey, PayloadHash> hashOf = new HashMap<>();
        for (int i = 0; i < hashes.size(); i++) {
            hashOf.put(keys.get(i), hashes.get(i));
        }
        Claim claim = claim(session, consumer, keys, hashOf, true);
        return new Claim(claim.claimed(), claim.oldest(), claim.newest(), hasDeadLetters(session, consumer));
    }

    /** A claim by people or programs, away from the engine: a consumer that is paused is no obstacle. */
    static Claim byHand(PlainSession session, RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException {
        return claim(session, consumer, keys, Map.of(), false);
    }

    private static Claim claim(
            PlainSession session,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            Map<MessageKey, PayloadHash> hashes,
            boolean refusesPaused)
            throws SQLException {
        Set<MessageKey> claimed = new HashSet<>();
        Look first = null;
        for (int from = 0; from < keys.size(); from += KEYS) {
            List<MessageKey> part = keys.subList(from, Math.min(keys.size(), from + KEYS));
            Look look = look(session, consumer, part);
            first = first == null ? look : first;
            if (refusesPaused && look.paused) {
                throw new ConsumerPausedException(consumer.name());
            }
            List<MessageKey> left = part.stream()
                    .filter(key -> look.accepts(key) && !look.had.contains(key))
                    .toList();
            int rows = session.dialect().rowsOfClaim();
            for (int row = 0; row < left.size(); row += rows) {
                List<MessageKey> some = left.subList(row, Math.min(left.size(), row + rows));
                claimed.addAll(insertNew(session, consumer, some, hashes));
            }
        }
        if (first == null) {
            throw new IllegalArgumentException("a claim needs a key");
        }
        return new Claim(claimed, first.oldest, first.newest, true);
    }

    /** Each time it looks again, the ledger has one key more, so this comes to an end. */
    private static List<MessageKey> insertNew(
            PlainSession session,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            Map<MessageKey, PayloadHash> hashes)
            throws SQLException {
        List<MessageKey> left = keys;
        while (!left.isEmpty() && !insert(session, consumer, left, hashes)) {
            if (left.size() == 1) {
                return List.of(); // Also where an older view of the ledger does not show what is in the way.
            }
            Set<MessageKey> had = look(session, consumer, left).had;
            if (had.isEmpty()) {
                throw new StoreException(
                        ErrorClass.RETRY_NOW,
                        "one of " + left.size()
                                + " keys is in the ledger, but this transaction cannot see which: it must"
                                + " be read committed",
                        null);
            }
            left = left.stream().filter(key -> !had.contains(key)).toList();
        }
        return left;
    }

    private static boolean insert(
            PlainSession session,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            Map<MessageKey, PayloadHash> hashes)
            throws SQLException {
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(LedgerStatement.CLAIM, keys.size())) {
            int next = 1;
            for (MessageKey key : keys) {
                statement.setShort(next++, consumer.id());
                statement.setBytes(next++, key.toBytes());
                statement.setBytes(next++, bytes(hashes.get(key)));
                statement.setObject(next++, now);
            }
            statement.executeUpdate();
            return true;
        } catch (SQLException e) {
            if (session.dialect().isDuplicateKey(e)) {
                return false;
            }
            throw e;
        }
    }

    private static byte @Nullable [] bytes(@Nullable PayloadHash hash) {
        return hash == null
                ? null
                : ByteBuffer.allocate(16)
                        .putLong(hash.high())
                        .putLong(hash.low())
                        .array();
    }

    private static Look look(PlainSession session, RegisteredConsumer consumer, List<MessageKey> keys)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.LOOK, keys.size())) {
            statement.setShort(1, consumer.id());
            statement.setShort(2, consumer.id());
            PlainSession.bindKeys(statement, 3, keys);
            try (ResultSet rows = statement.executeQuery()) {
                return Look.read(rows, consumer);
            }
        }
    }

    private static boolean hasDeadLetters(PlainSession session, RegisteredConsumer consumer) throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.HAS_DEAD_LETTERS)) {
            statement.setShort(1, consumer.id());
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    static Set<MessageKey> known(PlainSession session, RegisteredConsumer consumer, List<MessageKey> keys)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.KNOWN, keys.size(), keys.size())) {
            statement.setShort(1, consumer.id());
            int next = PlainSession.bindKeys(statement, 2, keys);
            statement.setShort(next, consumer.id());
            PlainSession.bindKeys(statement, next + 1, keys);
            try (ResultSet rows = statement.executeQuery()) {
                Set<MessageKey> known = new HashSet<>();
                while (rows.next()) {
                    known.add(PlainColumns.key(rows, 1));
                }
                return known;
            }
        }
    }

    static Set<MessageKey> conflicting(
            PlainSession session, RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.HASHES, hashes.size())) {
            statement.setShort(1, consumer.id());
            PlainSession.bindKeys(statement, 2, new ArrayList<>(hashes.keySet()));
            try (ResultSet rows = statement.executeQuery()) {
                Set<MessageKey> conflicting = new HashSet<>();
                while (rows.next()) {
                    MessageKey key = PlainColumns.key(rows, 1);
                    ByteBuffer stored = ByteBuffer.wrap(rows.getBytes(2));
                    if (!new PayloadHash(stored.getLong(), stored.getLong()).equals(hashes.get(key))) {
                        conflicting.add(key);
                    }
                }
                return conflicting;
            }
        }
    }

    /** What the ledger says in one moment. */
    private record Look(MessageKey oldest, MessageKey newest, boolean paused, Set<MessageKey> had) {
        static Look read(ResultSet rows, RegisteredConsumer consumer) throws SQLException {
            MessageKey oldest = null;
            MessageKey newest = null;
            boolean paused = false;
            Set<MessageKey> had = new HashSet<>();
            while (rows.next()) {
                byte[] key = rows.getBytes(1);
                if (key != null) {
                    had.add(MessageKey.of(key));
                } else {
                    oldest = PlainColumns.key(rows, 2);
                    newest = PlainColumns.key(rows, 3);
                    paused = rows.getBoolean(4);
                }
            }
            if (oldest == null || newest == null) {
                throw new StoreException(
                        ErrorClass.UNKNOWN,
                        "inbox_horizon has no row, or inbox_consumer none with the id " + consumer.id()
                                + "; nobody may delete from them. Run Schema.validate, and register the consumer again",
                        null);
            }
            return new Look(oldest, newest, paused, had);
        }

        /** Whether the ledger has the key's day. */
        boolean accepts(MessageKey key) {
            return !key.isTimeForm() || (key.compareTo(oldest) >= 0 && key.compareTo(newest) < 0);
        }
    }
}
