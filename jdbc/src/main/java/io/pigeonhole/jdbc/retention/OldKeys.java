package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Deletes keys of the ledger that are past their time, in a transaction of {@link Upkeep}. */
public final class OldKeys {
    private OldKeys() {}

    /**
     * Not of messages that are unfinished or dead. One that is neither stays so as long as the ledger has its key, so that the
     * answer still holds when the keys are deleted. Nor those that somebody else has locked, such as an open transaction that met
     * them as duplicates.
     */
    public static long delete(AdminSession session, int consumer, List<MessageKey> keys) throws SQLException {
        Set<MessageKey> finished = new LinkedHashSet<>(keys);
        finished.removeAll(unfinished(session, consumer, keys));
        Set<MessageKey> locked = lock(session, consumer, finished);
        if (locked.isEmpty()) {
            return 0;
        }
        try (Call call = session.call(OldRowStatement.FORGET_KEY)) {
            for (MessageKey key : locked) {
                call.number("consumer", consumer).key(key).addBatch();
            }
            return call.changeBatch();
        }
    }

    /** Those of messages that are in work or dead letters, without locks. */
    static Set<MessageKey> unfinished(AdminSession session, int consumer, List<MessageKey> keys) throws SQLException {
        if (keys.isEmpty()) {
            return Set.of();
        }
        try (Call call = session.call(RetentionStatement.UNFINISHED_KEYS, keys.size())) {
            return read(session, call.number("consumer", consumer).keys(keys));
        }
    }

    /** Those that nobody else has locked, which are locked from then on. */
    public static Set<MessageKey> lock(AdminSession session, int consumer, Collection<MessageKey> keys)
            throws SQLException {
        if (keys.isEmpty()) {
            return Set.of();
        }
        try (Call call = session.call(OldRowStatement.LOCK_KEYS, keys.size())) {
            return read(session, call.number("consumer", consumer).keys(keys));
        }
    }

    private static Set<MessageKey> read(AdminSession session, Call call) throws SQLException {
        return new HashSet<>(call.all(row -> session.rows().key(row, 1)));
    }
}
