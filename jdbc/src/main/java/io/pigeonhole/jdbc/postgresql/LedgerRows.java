package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.KeyArray;
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

    static Set<MessageKey> known(PostgresCalls calls, RegisteredConsumer consumer, List<MessageKey> keys)
            throws SQLException {
        try (Call call = calls.call(PostgresLedgerStatement.KNOWN)) {
            return readKeys(call.consumer(consumer).text("keys", KeyArray.write(keys)));
        }
    }

    static Set<MessageKey> conflicting(
            PostgresCalls calls, RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes) throws SQLException {
        List<MessageKey> keys = new ArrayList<>();
        List<PayloadHash> values = new ArrayList<>();
        hashes.forEach((key, hash) -> {
            keys.add(key);
            values.add(hash);
        });
        try (Call call = calls.call(PostgresLedgerStatement.CONFLICTING)) {
            return readKeys(call.text("keys", KeyArray.write(keys))
                    .text("hashes", KeyArray.writeHashes(values))
                    .consumer(consumer));
        }
    }

    private static Set<MessageKey> readKeys(Call call) throws SQLException {
        return new HashSet<>(call.all(row -> MessageKey.of(row.getObject(1, UUID.class))));
    }
}
