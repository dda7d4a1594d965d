package io.pigeonhole.jdbc.dialect;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.Connections;
import io.pigeonhole.jdbc.sql.Refusals;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Distinguishes the databases that there are statements for from those that there are none for, by product and version. */
public final class Products {
    private static final int OLDEST_POSTGRES = 13;

    /** Those with statements of the second machinery. */
    public static final List<Dialect> DIALECTS = List.of(new MariaDb(), new MySql(), new H2());

    private Products() {}

    /** The dialect of a database; null for PostgreSQL, which has a machinery of its own. */
    public static @Nullable Dialect find(ConnectionSource connections) {
        try (Connection connection = Connections.open(connections)) {
            return find(connection);
        } catch (SQLException e) {
            throw new StoreUnavailableException(Refusals.describe("to find out what it is", e), e);
        }
    }

    /**
     * Looks at the product's name and version.
     *
     * @throws ConfigurationException if it is not known
     */
    public static @Nullable Dialect find(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String product = database.getDatabaseProductName();
        if (product.equals("PostgreSQL") && database.getDatabaseMajorVersion() >= OLDEST_POSTGRES) {
            return null;
        }
        String version = database.getDatabaseProductVersion();
        for (Dialect dialect : DIALECTS) {
            if (dialect.recognises(product, version)) {
                return dialect;
            }
        }
        String known = Stream.concat(
                        Stream.of("PostgreSQL " + OLDEST_POSTGRES + " and later"),
                        DIALECTS.stream().map(Dialect::supportedVersions))
                .collect(Collectors.joining(", "));
        throw new ConfigurationException("the database is " + product + " " + version + "; the inbox knows " + known
                + ". Messages are taken in the database of their effects, so that one has to be of these");
    }
}
