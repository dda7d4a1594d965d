package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** Tells the databases that there are statements for from those that there are none for. */
final class Dialect {
    private static final int OLDEST_POSTGRES = 13;

    private Dialect() {}

    /**
     * Looks at the product's name and version.
     *
     * @throws ConfigurationException if it is not known
     */
    static void require(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String product = database.getDatabaseProductName();
        if (!product.equals("PostgreSQL") || database.getDatabaseMajorVersion() < OLDEST_POSTGRES) {
            throw new ConfigurationException("the database is " + product + " " + database.getDatabaseProductVersion()
                    + "; the inbox knows PostgreSQL " + OLDEST_POSTGRES + " and later");
        }
    }
}
