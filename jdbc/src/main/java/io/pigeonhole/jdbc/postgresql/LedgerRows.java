package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.KeyArray;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Questions about keys that were not claimed. */
final class LedgerRows {
    private LedgerRows() {}

    static Set<MessageKey> known(Connection connection, RegisteredConsumer consumer, List<MessageKey> keys)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.KNOWN)) {
            String array = KeyArray.write(keys);
            statement.setShort(1, consumer.id());
            statement.setString(2, array);
            statement.setShort(3, consumer.id());
            statement.setString(4, array);
            return readKeys(statement);
        }
    }

    static Set<MessageKey> conflicting(
            Connection connection, RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes)
            throws SQLException {
        List<MessageKey> keys = new ArrayList<>();
        List<PayloadHash> values = new ArrayList<>();
        hashes.forEach((key, hash) -> {
            keys.add(key);
            values.add(hash);
        });
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.CONFLICTING)) {
            statement.setString(1, KeyArray.write(keys));
            statement.setString(2, KeyArray.writeHashes(values));
            statement.setShort(3, consumer.id());
            statement.setShort(4, consumer.id());
            statement.setShort(5, consumer.id());
            return readKeys(statement);
        }
    }

    /** The keys in the first column of an answer. */
    static Set<MessageKey> readKeys(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            Set<MessageKey> keys = new HashSet<>();
            while (rows.next()) {
                keys.add(MessageKey.of(rows.getObject(1, UUID.class)));
            }
            return keys;
        }
    }
}
