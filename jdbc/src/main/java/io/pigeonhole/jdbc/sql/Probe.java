package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.StoreUnavailableException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Asks whether a database answers and takes writes, on a connection of its own. */
public final class Probe {
    private static final int SECONDS = 5;

    private Probe() {}

    /**
     * Asks.
     *
     * @param question a query with one value, true where the database takes writes
     * @param otherwise what to say where it does not
     * @throws StoreUnavailableException if it does not, or does not answer
     */
    public static void run(ConnectionSource connections, String question, String otherwise) {
        try (Connection connection = Connections.open(connections);
                Statement statement = connection.createStatement()) {
            boolean autoCommit = connection.getAutoCommit();
            // On H2 it is the whole connection's.
            int queryTimeout = statement.getQueryTimeout();
            try {
                statement.setQueryTimeout(SECONDS);
                connection.setAutoCommit(true);
                ask(statement, question, otherwise);
            } finally {
                // What is thrown here would hide why the database does not answer.
                Connections.doOrAbort(connection, "reset", () -> {
                    statement.setQueryTimeout(queryTimeout);
                    connection.setAutoCommit(autoCommit);
                });
            }
        } catch (SQLException e) {
            throw new StoreUnavailableException(Refusals.describe("a probe", e), e);
        }
    }

    private static void ask(Statement statement, String question, String otherwise) throws SQLException {
        try (ResultSet row = statement.executeQuery(question)) {
            if (!row.next() || !row.getBoolean(1)) {
                throw new StoreUnavailableException(otherwise, null);
            }
        }
    }
}
