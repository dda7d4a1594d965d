package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The fastest inbox that somebody who knows PostgreSQL writes for just this job: one table with a UUID as its primary key
 * and nothing else, one statement that inserts the ids of a batch and answers which of them are new, and JDBC batches for
 * those. It has no consumers, no retries, no dead letters and no retention, and it needs every id to be a UUID.
 */
final class HandWrittenInbox implements MessageSink {
    private static final String CLAIM = """
            INSERT INTO hand_inbox (message_id) SELECT unnest(?::uuid[]) ON CONFLICT DO NOTHING RETURNING message_id""";

    private final DataSource dataSource;

    HandWrittenInbox(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public void accept(List<Message> batch) throws SQLException {
        UUID[] ids = new UUID[batch.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = UUID.fromString(String.valueOf(batch.get(i).id()));
        }
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Set<UUID> unseen = claim(ids, connection);
            List<Message> messages = new ArrayList<>(unseen.size());
            for (int i = 0; i < ids.length; i++) {
                if (unseen.remove(ids[i])) { // A message that is in the batch twice is new once.
                    messages.add(batch.get(i));
                }
            }
            AtLeastOnceDeferred.apply(messages, connection);
            connection.commit();
        }
    }

    private static Set<UUID> claim(UUID[] ids, Connection connection) throws SQLException {
        Array array = connection.createArrayOf("uuid", ids);
        try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setArray(1, array);
            Set<UUID> unseen = new HashSet<>();
            try (ResultSet rows = claim.executeQuery()) {
                while (rows.next()) {
                    unseen.add(rows.getObject(1, UUID.class));
                }
            }
            return unseen;
        } finally {
            array.free();
        }
    }
}
