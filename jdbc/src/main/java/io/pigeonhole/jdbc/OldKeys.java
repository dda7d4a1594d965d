package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Deletes keys of the ledger that are past their time, in a transaction of {@link PlainRetention}. */
final class OldKeys {
    private OldKeys() {}

    /**
     * Not of messages that are unfinished or dead. One that is neither stays so as long as the ledger has its key, so that the
     * answer still holds when the keys are deleted. Nor those that somebody else has locked, such as an open transaction that met
     * them as duplicates.
     */
    static long forget(PlainSession session, int consumer, List<MessageKey> keys) throws SQLException {
        Set<MessageKey> finished = new LinkedHashSet<>(keys);
        finished.removeAll(unfinished(session, consumer, keys));
        Set<MessageKey> locked = lock(session, consumer, finished);
        if (locked.isEmpty()) {
            return 0;
        }
        try (PreparedStatement statement = session.prepare(RetentionStatement.FORGET_KEY)) {
            for (MessageKey key : locked) {
                statement.setInt(1, consumer);
                statement.setBytes(2, key.toBytes());
                statement.addBatch();
            }
            return PlainSession.changed(statement.executeBatch());
        }
    }

    /** Those of messages that are in work or dead letters, without locks. */
    static Set<MessageKey> unfinished(PlainSession session, int consumer, List<MessageKey> keys) throws SQLException {
        if (keys.isEmpty()) {
            return Set.of();
        }
        try (PreparedStatement statement =
                session.prepare(RetentionStatement.UNFINISHED_KEYS, keys.size(), keys.size())) {
            statement.setInt(1, consumer);
            int next = PlainSession.bindKeys(statement, 2, keys);
            statement.setInt(next, consumer);
            PlainSession.bindKeys(statement, next + 1, keys);
            return read(statement);
        }
    }

    /** Those that nobody else has locked, which are locked from then on. */
    static Set<MessageKey> lock(PlainSession session, int consumer, Collection<MessageKey> keys) throws SQLException {
        if (keys.isEmpty()) {
            return Set.of();
        }
        try (PreparedStatement statement = session.prepare(RetentionStatement.LOCK_KEYS, keys.size())) {
            int next = 1;
            for (MessageKey key : keys) {
                statement.setInt(next++, consumer);
                statement.setBytes(next++, key.toBytes());
            }
            return read(statement);
        }
    }

    private static Set<MessageKey> read(PreparedStatement statement) throws SQLException {
        Set<MessageKey> keys = new HashSet<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                keys.add(PlainColumns.key(rows, 1));
            }
        }
        return keys;
    }
}
