package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A schema of a test's own, and short ways to ask it something. Where a server takes long to let a session begin, one is kept for what is
 * asked; what is asked beside it has a session of its own.
 */
public final class Workshop implements AutoCloseable {
    private static final int SECONDS_TO_ANSWER = 5;

    private final DatabaseServer server;
    private final String name;
    private final ReentrantLock asking = new ReentrantLock();
    private @Nullable Connection kept;

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
        inSession(sql, connection -> {
            try (PreparedStatement statement = prepare(connection, sql, parameters)) {
                return statement.execute();
            }
        });
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
        return inSession(sql, connection -> {
            try (PreparedStatement statement = prepare(connection, sql, parameters);
                    ResultSet rows = statement.executeQuery()) {
                List<String> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(rows.getString(1));
                }
                return all;
            }
        });
    }

    /** The only row's only column, which holds a key. */
    MessageKey askKey(String sql) {
        return inSession(sql, connection -> {
            try (PreparedStatement statement = prepare(connection, sql);
                    ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new AssertionError(sql + " has no row");
                }
                return server.readKey(row, row.getMetaData().getColumnLabel(1));
            }
        });
    }

    /** What is done in one session. */
    @FunctionalInterface
    private interface Step<T> {
        T in(Connection connection) throws SQLException;
    }

    private <T> T inSession(String sql, Step<T> step) {
        boolean mayKeep = server.keepsSessions() && !Thread.currentThread().isInterrupted() && asking.tryLock();
        if (!mayKeep) {
            try (Connection connection = dataSource().getConnection()) {
                return step.in(connection);
            } catch (SQLException e) {
                throw new AssertionError(sql, e);
            }
        }
        try {
            return step.in(keptSession());
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        } finally {
            asking.unlock();
        }
    }

    /** A test may have ended it meanwhile, or its server. */
    private Connection keptSession() throws SQLException {
        Connection connection = kept;
        if (connection == null || !connection.isValid(SECONDS_TO_ANSWER)) {
            closeKept();
            connection = server.dataSource(server.keptUrl(name)).getConnection();
            kept = connection;
        }
        return connection;
    }

    private void closeKept() throws SQLException {
        Connection connection = kept;
        kept = null;
        if (connection != null) {
            connection.close();
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
        asking.lock();
        try {
            closeKept();
        } catch (SQLException e) {
            throw new AssertionError("the session of " + name, e);
        } finally {
            asking.unlock();
        }
        server.drop(name);
    }
}
