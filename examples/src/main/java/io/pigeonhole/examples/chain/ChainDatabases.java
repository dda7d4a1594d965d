package io.pigeonhole.examples.chain;

import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.examples.chain.Effect.Table;
import io.pigeonhole.jdbc.Schema;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The databases of the three services, on one server that is durable and can be killed. Safe for use by many threads. */
final class ChainDatabases implements AutoCloseable {
    private static final List<String> NAMES = List.of("orders", "payments", "shipping");

    private static final String WAITING =
            "SELECT (SELECT count(*) FROM inbox_work)" + " + (SELECT count(*) FROM inbox_dead_letter)";

    private final EmbeddedPostgres server;
    private final Map<String, Connection> connections = new HashMap<>();

    ChainDatabases(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Makes the databases, the tables of services, which have no constraints, and the customers. */
    void create(int customers) throws SQLException {
        for (String name : NAMES) {
            server.createDatabase(name);
            Schema.apply(server.dataSource(name));
        }
        for (Table table : Table.values()) {
            execute(
                    table.database(),
                    "CREATE TABLE " + table.table() + " (place bigint GENERATED ALWAYS AS IDENTITY, message_id text,"
                            + " reference text, customer int, number int, amount bigint)");
        }
        execute("orders", "CREATE TABLE customer (id int PRIMARY KEY, orders int NOT NULL)");
        execute("orders", "INSERT INTO customer SELECT id, 0 FROM generate_series(1, " + customers + ") id");
    }

    private void execute(String database, String sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database));
    }

    String url(String database) {
        return server.url(database);
    }

    /** Kills the server and all its backends with SIGKILL, and starts it again on its files. */
    void killAndRestart() {
        server.kill();
        server.restart();
    }

    /** How many effects each table has. */
    List<Long> counts() throws SQLException {
        List<Long> counts = new ArrayList<>();
        for (Table table : Table.values()) {
            counts.add(ask(table.database(), "SELECT count(*) FROM " + table.table()));
        }
        return counts;
    }

    /** How many messages wait for a retry or are dead, in all inboxes and relays. */
    long parked() throws SQLException {
        return askAll(WAITING);
    }

    /** How many messages are appended and not published. */
    long unpublished() throws SQLException {
        return askAll("SELECT count(*) FROM outbox_message");
    }

    /** How many idempotency keys the first service has stored. */
    long keys() throws SQLException {
        return ask("orders", "SELECT count(*) FROM inbox_idempotency");
    }

    private long askAll(String sql) throws SQLException {
        long sum = 0;
        for (String name : NAMES) {
            sum += ask(name, sql);
        }
        return sum;
    }

    private synchronized long ask(String database, String sql) throws SQLException {
        Connection connection = connections.get(database);
        if (connection == null) {
            connection = connect(database);
            connections.put(database, connection);
        }
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet result = statement.executeQuery()) {
            result.next();
            return result.getLong(1);
        } catch (SQLException e) {
            // The server was killed, and the connection with it.
            connections.remove(database);
            connection.close();
            throw e;
        }
    }

    /** The effects behind a place, in the order in which they happened. */
    List<Effect> effects(Table table, long behind) throws SQLException {
        List<Effect> effects = new ArrayList<>();
        try (Connection connection = connect(table.database());
                PreparedStatement statement =
                        connection.prepareStatement("SELECT place, coalesce(message_id, ''), reference, customer,"
                                + " number, amount FROM " + table.table() + " WHERE place > ? ORDER BY place")) {
            statement.setLong(1, behind);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    Order order = new Order(result.getString(3), result.getInt(4), result.getInt(5), result.getLong(6));
                    effects.add(new Effect(result.getLong(1), result.getString(2), order));
                }
            }
        }
        return effects;
    }

    @Override
    public void close() {
        server.close();
    }
}
