package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.retention.OldRowStatement;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.StatementName;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claims where one statement cannot insert what is new and say what was not: it looks what the ledger has, and inserts the
 * rest in the order of the keys. That waits for others who are inserting the same; where one of them commits, the insert
 * fails as a whole, and it looks again. A statement that fails leaves the transaction as it was.
 *
 * <p>All statements of a claim use the days that the first has read. At the end the days are read again: where the first day
 * of the ledger has moved past a claimed key meanwhile, rows may be missing by which it would have been recognised, and the
 * claim is refused, to be made again in a new transaction.
 */
final class PlainClaims {
    /** Keys of one question: enough to save round trips, few enough for any limit on parameters or packets. */
    private static final int KEYS = 500;

    /** Payloads of one question: drivers hold all rows of an answer at once. */
    private static final int PAYLOADS = 50;

    private PlainClaims() {}

    /** The claim of the engine. */
    static Claim claim(
            PlainSession session, RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes)
            throws SQLException {
        Map<MessageKey, PayloadHash> hashOf = new HashMap<>();
        for (int i = 0; i < hashes.size(); i++) {
            hashOf.put(keys.get(i), hashes.get(i));
        }
        return claim(session, consumer, keys, hashOf, true);
    }

    /** The values of {@link Dialect#beginWithClaim}, for one key and the hash of its payload, or none. */
    static String valuesOfOne(
            Dialect dialect,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            List<PayloadHash> hashes,
            Duration idleLimit,
            Duration timeout) {
        byte[] hash = bytes(hashes.isEmpty() ? null : hashes.get(0));
        return dialect.valuesOfClaim(
                consumer.id(),
                literal(keys.get(0).toBytes()),
                hash == null ? "NULL" : literal(hash),
                idleLimit,
                timeout);
    }

    private static String literal(byte[] bytes) {
        return "x'" + HexFormat.of().formatHex(bytes) + "'";
    }

    /**
     * The claim of one key together with the beginning of its transaction, as {@link Dialect#beginWithClaim} answers it. Null where
     * neither the insert nor a duplicate decided.
     */
    static @Nullable Claim one(Statement executed, List<MessageKey> keys) throws SQLException {
        try (ResultSet row = executed.getResultSet()) {
            int claimed = row != null && row.next() ? row.getInt(1) : 0;
            if (claimed == 0) {
                return null;
            }
            return claimed > 0 ? Claim.ofAll(keys) : duplicate(keys.get(0), row.getBoolean(2));
        }
    }

    /** It was within the ledger's days when it met the row; where these begin by now does not make it late. */
    private static Claim duplicate(MessageKey key, boolean hasDeadLetters) {
        return new Claim(Set.of(), key, MessageKey.FIRST_DIGEST, hasDeadLetters);
    }

    /** A claim by people or programs, away from the engine: a consumer that is paused is no obstacle. */
    static Claim byHand(PlainSession session, RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException {
        return claim(session, consumer, keys, Map.of(), false);
    }

    /**
     * The claim in a transaction of the caller. Its view of the tables may be older than what others have committed since, so
     * nothing is decided by what it sees of the ledger: the days are read as they are now, and the insert decides.
     */
    static Claim ofCaller(PlainSession session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        List<MessageKey> keys = List.of(key);
        String together = session.dialect().holdBoundsAndClaim();
        Claim claim = together == null ? null : insertHeld(session, together, consumer, key);
        if (claim != null) {
            return claim;
        }
        Days days = daysOfLedger(session, LedgerStatement.HOLD_BOUNDS);
        List<MessageKey> claimed = days.has(key) ? insertNew(session, consumer, keys, Map.of()) : List.of();
        if (!session.dialect().holdsBounds()) {
            days.requireStill(claimed, daysOfLedger(session, LedgerQuery.BOUNDS).oldest);
        }
        return new Claim(Set.copyOf(claimed), days.oldest, days.newest, true);
    }

    /** Null where the key was not found within the ledger's days. */
    private static @Nullable Claim insertHeld(
            PlainSession session, String sql, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
            statement.setShort(1, consumer.id());
            for (int i = 2; i <= 5; i++) {
                statement.setBytes(i, key.toBytes());
            }
            return statement.executeUpdate() == 1 ? Claim.ofAll(List.of(key)) : null;
        } catch (SQLException e) {
            if (session.dialect().isDuplicateKey(e)) {
                return duplicate(key, true);
            }
            throw e;
        }
    }

    private static Days daysOfLedger(PlainSession session, StatementName which) throws SQLException {
        try (Call call = session.call(which)) {
            Days days = call.first(row -> new Days(PlainColumns.key(row, 1), PlainColumns.key(row, 2)));
            if (days == null) {
                throw new StoreException(
                        ErrorClass.UNKNOWN,
                        "inbox_ledger_bounds has no row: put back the one that the schema came with",
                        null);
            }
            return days;
        }
    }

    private static Claim claim(
            PlainSession session,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            Map<MessageKey, PayloadHash> hashes,
            boolean refusesPaused)
            throws SQLException {
        Set<MessageKey> claimed = new HashSet<>();
        Days days = null;
        for (int from = 0; from < keys.size(); from += KEYS) {
            List<MessageKey> part = keys.subList(from, Math.min(keys.size(), from + KEYS));
            Look look = look(session, consumer, part);
            Days first = days == null ? look.days : days;
            days = first;
            if (refusesPaused && look.paused) {
                throw new ConsumerPausedException(consumer.name());
            }
            List<MessageKey> left = part.stream()
                    .filter(key -> first.has(key) && !look.had.contains(key))
                    .toList();
            int rows = session.dialect().rowsOfClaim();
            for (int row = 0; row < left.size(); row += rows) {
                List<MessageKey> some = left.subList(row, Math.min(left.size(), row + rows));
                claimed.addAll(insertNew(session, consumer, some, hashes));
            }
        }
        if (days == null) {
            throw new IllegalArgumentException("a claim needs a key");
        }
        return finished(session, consumer, claimed, days);
    }

    private static Claim finished(PlainSession session, RegisteredConsumer consumer, Set<MessageKey> claimed, Days days)
            throws SQLException {
        try (Call call = session.call(LedgerStatement.END_OF_CLAIM)) {
            return call.consumer(consumer).read(row -> {
                MessageKey oldest = null;
                boolean hasDeadLetters = false;
                while (row.next()) {
                    byte[] key = row.getBytes(1);
                    oldest = key == null ? oldest : MessageKey.of(key);
                    hasDeadLetters |= key == null;
                }
                if (oldest == null) {
                    throw noBounds(consumer);
                }
                days.requireStill(claimed, oldest);
                return new Claim(claimed, days.oldest, days.newest, hasDeadLetters);
            });
        }
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
        try (Call call = session.call(LedgerStatement.CLAIM, keys.size())) {
            call.consumer(consumer)
                    .keys(keys)
                    .bytes(
                            "hashes",
                            keys.stream().map(key -> bytes(hashes.get(key))).toList())
                    .now()
                    .change();
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

    /** Whether the ledger has it. */
    static boolean isThere(PlainSession session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        return !look(session, consumer, List.of(key)).had().isEmpty();
    }

    /** Inserts a key that is nobody's. */
    static void mark(PlainSession session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        insert(session, consumer, List.of(key), Map.of());
    }

    /** Takes it out again; false where it is not there. A deletion that is cancelled may say that it met no row. */
    static boolean unmark(PlainSession session, RegisteredConsumer consumer, MessageKey key) throws SQLException {
        try (Call call = session.call(OldRowStatement.FORGET_KEY)) {
            return call.consumer(consumer).key(key).change() > 0 || isThere(session, consumer, key);
        }
    }

    private static Look look(PlainSession session, RegisteredConsumer consumer, List<MessageKey> keys)
            throws SQLException {
        try (Call call = session.call(LedgerStatement.LOOK, keys.size())) {
            return call.consumer(consumer).keys(keys).read(rows -> Look.read(rows, consumer));
        }
    }

    private static StoreException noBounds(RegisteredConsumer consumer) {
        return new StoreException(
                ErrorClass.UNKNOWN,
                "inbox_ledger_bounds has no row, or inbox_consumer none with the id " + consumer.id()
                        + "; nobody may delete from them. Run Schema.validate, and register the consumer again",
                null);
    }

    static Set<MessageKey> known(PlainSession session, RegisteredConsumer consumer, List<MessageKey> keys)
            throws SQLException {
        try (Call call = session.call(LedgerStatement.KNOWN, keys.size())) {
            return new HashSet<>(call.consumer(consumer).keys(keys).all(row -> PlainColumns.key(row, 1)));
        }
    }

    static Set<MessageKey> conflicting(
            PlainSession session, RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes)
            throws SQLException {
        Set<MessageKey> conflicting = new HashSet<>();
        Set<MessageKey> withoutHash = new LinkedHashSet<>(hashes.keySet());
        try (Call call = session.call(LedgerStatement.HASHES, hashes.size())) {
            call.consumer(consumer).keys(hashes.keySet());
            for (Stored stored : call.all(Stored::read)) {
                withoutHash.remove(stored.key());
                if (!stored.hash().equals(hashes.get(stored.key()))) {
                    conflicting.add(stored.key());
                }
            }
        }
        List<MessageKey> left = List.copyOf(withoutHash);
        for (int from = 0; from < left.size(); from += PAYLOADS) {
            List<MessageKey> part = left.subList(from, Math.min(left.size(), from + PAYLOADS));
            conflicting.addAll(withOtherPayload(session, consumer, part, hashes));
        }
        return conflicting;
    }

    private static Set<MessageKey> withOtherPayload(
            PlainSession session,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            Map<MessageKey, PayloadHash> hashes)
            throws SQLException {
        Set<MessageKey> other = new HashSet<>();
        Set<MessageKey> same = new HashSet<>();
        try (Call call = session.call(LedgerStatement.PAYLOADS, keys.size())) {
            call.consumer(consumer).keys(keys);
            for (Stored stored : call.all(Stored::ofPayload)) {
                (stored.hash().equals(hashes.get(stored.key())) ? same : other).add(stored.key());
            }
        }
        other.removeAll(same);
        return other;
    }

    /** A key, and the hash of what came with it. */
    private record Stored(MessageKey key, PayloadHash hash) {
        static Stored read(ResultSet row) throws SQLException {
            ByteBuffer hash = ByteBuffer.wrap(row.getBytes(2));
            return new Stored(PlainColumns.key(row, 1), new PayloadHash(hash.getLong(), hash.getLong()));
        }

        static Stored ofPayload(ResultSet row) throws SQLException {
            return new Stored(PlainColumns.key(row, 1), PayloadHash.ofBytes(row.getBytes(2)));
        }
    }

    /** What the ledger says in one moment. */
    private record Look(Days days, boolean paused, Set<MessageKey> had) {
        static Look read(ResultSet rows, RegisteredConsumer consumer) throws SQLException {
            Days days = null;
            boolean paused = false;
            Set<MessageKey> had = new HashSet<>();
            while (rows.next()) {
                byte[] key = rows.getBytes(1);
                if (key != null) {
                    had.add(MessageKey.of(key));
                } else {
                    days = new Days(PlainColumns.key(rows, 2), PlainColumns.key(rows, 3));
                    paused = rows.getBoolean(4);
                }
            }
            if (days == null) {
                throw noBounds(consumer);
            }
            return new Look(days, paused, had);
        }
    }

    /**
     * The days of the ledger.
     *
     * @param oldest the smallest key that it takes
     * @param newest the first key that is too new
     */
    private record Days(MessageKey oldest, MessageKey newest) {
        boolean has(MessageKey key) {
            return !key.isTimeForm() || (key.compareTo(oldest) >= 0 && key.compareTo(newest) < 0);
        }

        /** Refuses claimed keys of days that the ledger has given up by now. What was not claimed is a duplicate in any case. */
        void requireStill(Collection<MessageKey> claimed, MessageKey oldestNow) {
            long gone = claimed.stream()
                    .filter(key -> key.isTimeForm() && key.compareTo(oldestNow) < 0)
                    .count();
            if (gone > 0) {
                throw new StoreException(
                        ErrorClass.RETRY_NOW,
                        "the ledger gave up the days of " + gone + " of " + claimed.size()
                                + " keys while they were claimed: roll back and claim again",
                        null);
            }
        }
    }
}
