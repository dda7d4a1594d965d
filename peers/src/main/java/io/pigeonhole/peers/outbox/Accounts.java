package io.pigeonhole.peers.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The business of a transaction. */
final class Accounts {
    static final String CREDIT = "UPDATE account SET balance = balance + ? WHERE id = ?";

    private Accounts() {}

    static void credit(Connection connection, int account) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CREDIT)) {
            statement.setLong(1, 1);
            statement.setInt(2, account);
            statement.executeUpdate();
        }
    }
}
