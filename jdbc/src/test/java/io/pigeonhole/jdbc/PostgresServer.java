package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A running PostgreSQL with a database for these tests. */
public record PostgresServer(String name, String url) implements DatabaseServer {
    @Override
    public void create(String schema) {
        inDatabase("DROP SCHEMA IF EXISTS " + schema + " CASCADE", "CREATE SCHEMA " + schema);
    }

    @Override
    public void drop(String schema) {
        inDatabase("DROP SCHEMA " + schema + " CASCADE");
    }

    private void inDatabase(String... statements) {
        try {
            DatabaseServer.execute(dataSource(url), statements);
        } catch (SQLException e) {
            throw new AssertionError(statements[0], e);
        }
    }

    @Override
    public String url(String schema) {
        return url + "&currentSchema=" + schema;
    }

    /** A plan that the server keeps is not for a table that has changed. */
    @Override
    public String keptUrl(String schema) {
        return url(schema) + "&prepareThreshold=0";
    }

    @Override
    public DataSource dataSource(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }

    @Override
    public DatabaseClock clock(Workshop workshop) {
        return new DatabaseClock(workshop);
    }

    @Override
    public String now() {
        return "clock_timestamp()";
    }

    @Override
    public String createEffects() {
        return """
                CREATE TABLE effect (place bigint GENERATED ALWAYS AS IDENTITY, text text,
                    at timestamptz DEFAULT clock_timestamp())""";
    }

    @Override
    public Object parameter(MessageKey key) {
        return key.toUuid();
    }

    @Override
    public MessageKey readKey(ResultSet row, String column) throws SQLException {
        return MessageKey.of(row.getObject(column, UUID.class));
    }

    @Override
    public String toString() {
        return "PostgreSQL " + name;
    }
}
