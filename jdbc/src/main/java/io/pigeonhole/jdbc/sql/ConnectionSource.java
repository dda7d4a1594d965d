package io.pigeonhole.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Where connections come from. */
@FunctionalInterface
public interface ConnectionSource {
    /** Of connections that are closed when a pool hands them out. */
    int MOST_ATTEMPTS = 3;

    /** Opens one. What a data source throws that is no {@link SQLException} comes out as it is. */
    Connection open() throws SQLException;

    /**
     * The connections of a data source, which must not answer with none. A pool that does not roll back may hand one out whose last user
     * has left a transaction open: a commit of ours would commit it.
     *
     * @throws io.pigeonhole.core.failure.ConfigurationException if it is one that answers with the connection of the caller's transaction
     */
    static ConnectionSource of(DataSource dataSource) {
        OfCallers.refuse(dataSource);
        return () -> {
            Connection connection = unclosed(dataSource);
            try {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            } catch (Throwable e) {
                giveUp(connection);
                throw e;
            }
            return connection;
        };
    }

    /** A pool that does not test its connections hands out dead ones as well, and may have others behind them. */
    private static Connection unclosed(DataSource dataSource) throws SQLException {
        SQLException last = null;
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            Connection connection = dataSource.getConnection();
            if (connection == null) {
                throw new SQLException("the data source answered null instead of a connection", "08001");
            }
            OfCallers.refuse(connection);
            try {
                // Some pools know only of themselves whether it is closed; then the driver refuses this.
                connection.getAutoCommit();
                if (!connection.isClosed()) {
                    return connection;
                }
            } catch (SQLException e) {
                last = e;
            } catch (Throwable e) {
                giveUp(connection);
                throw e;
            }
            giveUp(connection);
        }
        throw new SQLException(
                "the pool handed out " + MOST_ATTEMPTS
                        + " connections in a row that are closed. Let it test them before: Tomcat's with testOnBorrow=true,"
                        + " validationInterval=0 and a validationQuery, Agroal with an exceptionSorter or validateOnBorrow",
                "08003",
                last);
    }

    private static void giveUp(Connection connection) {
        Connections.abort(connection);
        Connections.succeeds("closed", connection::close);
    }
}
