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
 * for the id, inserts the message as pending, works, and updates it to processed. One wide table, payload as JSON, the
 * primary key and two partial indexes. Without the retry branch: nothing fails here.
 */
final class SeedLoop implements MessageSink {
    private static final String FIND = "SELECT status FROM seed_inbox WHERE message_id = ?";
    private static final String FINISH =
            "UPDATE seed_inbox SET status = 'processed', processed_at = now() WHERE message_id = ?";

    private final DataSource dataSource;
    private final FloorStatements statements;

    SeedLoop(DataSource dataSource, FloorStatements statements) {
        this.dataSource = dataSource;
        this.statements = statements;
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

    private void receive(String id, Message message, Connection connection) throws SQLException {
        try (PreparedStatement receive = connection.prepareStatement(statements.seedReceive())) {
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
