package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A schema of a test's own, and short ways to ask it something. */
public final class Workshop implements AutoCloseable {
    private final DatabaseServer server;
    private final String name;

    Workshop(DatabaseServer server, String name) {
        this.server = server;
        this.name = name;
        server.create(name);
    }

    DatabaseServer server() {
        return server;
    }

    /** The URL whose connections have this schema as their current one. */
    public String url() {
        return server.url(name);
    }

    public DataSource dataSource() {
        return server.dataSource(url());
    }

    /** The same with more parameters of the driver, each with its ampersand. */
    DataSource dataSource(String parameters) {
        return server.dataSource(url() + parameters);
    }

    public void execute(String sql, @Nullable Object... parameters) {
        try (Connection connection = dataSource().getConnection();
                PreparedStatement statement = prepare(connection, sql, parameters)) {
            statement.execute();
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** The first column of the only row, as text. */
    public String ask(String sql, @Nullable Object... parameters) {
        List<String> rows = askAll(sql, parameters);
        if (rows.size() != 1) {
            throw new AssertionError(sql + " has " + rows.size() + " rows");
        }
        return rows.get(0);
    }

    /** The first column of all rows, as text. */
    public List<String> askAll(String sql, @Nullable Object... parameters) {
        try (Connection connection = dataSource().getConnection();
                PreparedStatement statement = prepare(connection, sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** The only row's only column, which holds a key. */
    MessageKey askKey(String sql) {
        try (Connection connection = dataSource().getConnection();
                PreparedStatement statement = prepare(connection, sql);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                throw new AssertionError(sql + " has no row");
            }
            return server.readKey(row, row.getMetaData().getColumnLabel(1));
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    @Override
    public void close() {
        server.drop(name);
    }
}
