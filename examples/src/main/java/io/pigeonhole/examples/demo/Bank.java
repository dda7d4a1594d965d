package io.pigeonhole.examples.demo;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The database as the narrator sees it: accounts, and a ledger of effects that has no unique constraint, so that an effect
 * that happened twice is there twice. Holds one connection. For one thread.
 */
final class Bank implements AutoCloseable {
    private static final int FETCH = 5_000;

    private final Connection connection;
    private final boolean hasInbox;

    private Bank(Connection connection, boolean hasInbox) {
        this.connection = connection;
        this.hasInbox = hasInbox;
    }

    /** Creates the tables and accounts 1 to {@code accounts}, all with nothing on them. */
    static Bank open(Database database, int accounts, boolean hasInbox) throws SQLException {
        Connection connection = database.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id bigint PRIMARY KEY, balance bigint NOT NULL)");
            statement.execute("CREATE TABLE effect (message_id varchar(100) NOT NULL, account bigint NOT NULL,"
                    + " amount bigint NOT NULL) -- and no unique constraint");
        }
        connection.setAutoCommit(false);
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO account (id, balance) VALUES (?, 0)")) {
            for (int account = 1; account <= accounts; account++) {
                statement.setLong(1, account);
                statement.addBatch();
            }
            statement.executeBatch();
        }
        connection.commit();
        connection.setAutoCommit(true);
        return new Bank(connection, hasInbox);
    }

    /** How many effects there are. */
    long effects() throws SQLException {
        return count("SELECT count(*) FROM effect");
    }

    /** How many messages have an effect. */
    long distinctEffects() throws SQLException {
        return count("SELECT count(DISTINCT message_id) FROM effect");
    }

    /** How many messages wait for a retry or are dead. */
    long parked() throws SQLException {
        return hasInbox
                ? count("SELECT (SELECT count(*) FROM inbox_work) + (SELECT count(*) FROM inbox_dead_letter)")
                : 0;
    }

    private long count(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet result = statement.executeQuery()) {
            result.next();
            return result.getLong(1);
        }
    }

    /** Hands over the message id of every effect, in no order. */
    void eachEffect(Consumer<String> visitor) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement("SELECT message_id FROM effect")) {
            statement.setFetchSize(FETCH);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    visitor.accept(result.getString(1));
                }
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** The message ids of what is parked or dead. */
    List<String> parkedIds() throws SQLException {
        List<String> ids = new ArrayList<>();
        if (!hasInbox) {
            return ids;
        }
        try (PreparedStatement statement = connection.prepareStatement(
                        "SELECT message_id FROM inbox_work UNION ALL SELECT message_id FROM inbox_dead_letter");
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                byte[] id = result.getBytes(1);
                ids.add(id == null ? "" : new String(id, StandardCharsets.UTF_8));
            }
        }
        return ids;
    }

    /** What is on each account, in cents; the index is the account's number. */
    long[] balances(int accounts) throws SQLException {
        long[] balances = new long[accounts + 1];
        try (PreparedStatement statement = connection.prepareStatement("SELECT id, balance FROM account");
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                balances[Math.toIntExact(result.getLong(1))] = result.getLong(2);
            }
        }
        return balances;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
