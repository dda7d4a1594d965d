package io.pigeonhole.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Where connections come from. */
@FunctionalInterface
public interface ConnectionSource {
    /** Opens one. What a data source throws that is no {@link SQLException} comes out as it is. */
    Connection open() throws SQLException;

    /** The connections of a data source, which must not answer with none. */
    static ConnectionSource of(DataSource dataSource) {
        return () -> {
            Connection connection = dataSource.getConnection();
            if (connection == null) {
                throw new SQLException("the data source answered null instead of a connection", "08001");
            }
            return connection;
        };
    }
}
