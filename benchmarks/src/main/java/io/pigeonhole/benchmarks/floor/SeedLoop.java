package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * The inbox that one writes by hand after reading about the pattern: one transaction for each message, in which one looks
 * for the id, inserts the message as pending, works, and updates it to processed. One wide table, payload as jsonb, the
 * primary key and two partial indexes. Without the retry branch: nothing fails here.
 */
final class SeedLoop implements MessageSink {
    static final String TABLE = """
            CREATE TABLE seed_inbox (
                message_id   varchar(255) PRIMARY KEY,
                source       varchar(100) NOT NULL,
                event_type   varchar(100) NOT NULL,
                payload      jsonb NOT NULL,
                status       varchar(20) NOT NULL DEFAULT 'pending',
                received_at  timestamptz NOT NULL DEFAULT now(),
                processed_at timestamptz,
                retry_count  integer NOT NULL DEFAULT 0);
            CREATE INDEX seed_inbox_unfinished ON seed_inbox (status, received_at) WHERE status IN ('pending', 'failed');
            CREATE INDEX seed_inbox_finished ON seed_inbox (processed_at) WHERE status = 'processed'
            """;

    private static final String FIND = "SELECT status FROM seed_inbox WHERE message_id = ?";
    private static final String RECEIVE =
            "INSERT INTO seed_inbox (message_id, source, event_type, payload) VALUES (?, ?, ?, ?::jsonb)";
    private static final String FINISH =
            "UPDATE seed_inbox SET status = 'processed', processed_at = now() WHERE message_id = ?";

    private final DataSource dataSource;

    SeedLoop(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public void accept(List<Message> batch) throws SQLException {
        for (Message message : batch) {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                String id = String.valueOf(message.id());
                if (!isKnown(id, connection)) {
                    receive(id, message, connection);
                    AtLeastOnce.apply(Payment.of(message), connection);
                    finish(id, connection);
                }
                connection.commit();
            }
        }
    }

    private static boolean isKnown(String id, Connection connection) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement(FIND)) {
            find.setString(1, id);
            try (ResultSet row = find.executeQuery()) {
                return row.next();
            }
        }
    }

    private static void receive(String id, Message message, Connection connection) throws SQLException {
        try (PreparedStatement receive = connection.prepareStatement(RECEIVE)) {
            receive.setString(1, id);
            receive.setString(2, message.source());
            receive.setString(3, message.type());
            receive.setString(4, new String(message.payload(), StandardCharsets.UTF_8));
            receive.executeUpdate();
        }
    }

    private static void finish(String id, Connection connection) throws SQLException {
        try (PreparedStatement finish = connection.prepareStatement(FINISH)) {
            finish.setString(1, id);
            finish.executeUpdate();
        }
    }
}
