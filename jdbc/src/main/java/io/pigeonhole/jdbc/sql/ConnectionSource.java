package io.pigeonhole.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Where connections come from. */
@FunctionalInterface
public interface ConnectionSource {
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
            Connection connection = dataSource.getConnection();
            if (connection == null) {
                throw new SQLException("the data source answered null instead of a connection", "08001");
            }
            OfCallers.refuse(connection);
            try {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            } catch (Throwable e) {
                Connections.abort(connection);
                Connections.succeeds("closed", connection::close);
                throw e;
            }
            return connection;
        };
    }
}
