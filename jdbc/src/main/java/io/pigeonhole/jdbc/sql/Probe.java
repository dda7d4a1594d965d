package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.StoreUnavailableException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Asks whether a database answers and takes writes, on a connection of its own. */
public final class Probe {
    /** Long enough for a server that answers at all. */
    public static final int SECONDS = 5;

    private Probe() {}

    /**
     * Asks.
     *
     * @param question a query with one value, true where the database takes writes
     * @param otherwise what to say where it does not
     * @param limit how many seconds it waits for the answer; 0 where a limit would be the whole connection's, and stay
     * @throws StoreUnavailableException if it does not, or does not answer
     */
    public static void run(ConnectionSource connections, String question, String otherwise, int limit) {
        try (Connection connection = Connections.open(connections);
                Statement statement = connection.createStatement()) {
            boolean autoCommit = connection.getAutoCommit();
            try {
                if (limit > 0) {
                    statement.setQueryTimeout(limit);
                }
                Connections.beginAutoCommit(connection);
                ask(statement, question, otherwise);
            } finally {
                // What is thrown here would hide why the database does not answer.
                Connections.doOrAbort(connection, "reset", () -> connection.setAutoCommit(autoCommit));
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
