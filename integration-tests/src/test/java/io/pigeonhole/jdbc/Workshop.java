package io.pigeonhole.jdbc;

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
    private final String database;
    private final String name;

    Workshop(String database, String name) {
        this.database = database;
        this.name = name;
        inDatabase("DROP SCHEMA IF EXISTS " + name + " CASCADE");
        inDatabase("CREATE SCHEMA " + name);
    }

    /** The URL whose connections have this schema as their current one. */
    public String url() {
        return database + "&currentSchema=" + name;
    }

    public DataSource dataSource() {
        return PostgresServers.dataSource(url());
    }

    /** The same with more parameters of the driver, each with its ampersand. */
    DataSource dataSource(String parameters) {
        return PostgresServers.dataSource(url() + parameters);
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

    private static PreparedStatement prepare(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    private void inDatabase(String sql) {
        try (Connection connection = PostgresServers.dataSource(database).getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    @Override
    public void close() {
        inDatabase("DROP SCHEMA " + name + " CASCADE");
    }
}
