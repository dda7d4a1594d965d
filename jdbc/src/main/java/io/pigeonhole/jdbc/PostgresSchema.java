package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables on PostgreSQL. */
final class PostgresSchema {
    static final String LOCATION = "io/pigeonhole/schema/postgresql/";

    private PostgresSchema() {}

    static void validate(ConnectionSource connections) {
        List<String> differences = Errand.run(connections, "to read the catalog", connection -> {
            Catalog expected = expected();
            return expected.differencesOf(Catalog.read(connection, expected));
        });
        Schema.refuse(differences, LOCATION);
    }

    static void apply(ConnectionSource connections) {
        Errand.run(connections, "to create the schema", PostgresSchema::install);
        validate(connections);
        new LedgerDays(connections, Schema.DAYS_AHEAD).ensure();
    }

    static Catalog expected() {
        return Catalog.parse(Schema.resource(LOCATION, "catalog.txt"));
    }

    private static int install(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresStatements.LOCK_SCHEMA);
            int installed = installedVersion(statement);
            for (String file : Schema.FILES.subList(Math.min(installed, Schema.FILES.size()), Schema.FILES.size())) {
                statement.execute(Schema.resource(LOCATION, file));
            }
            return Schema.FILES.size() - installed;
        }
    }

    private static int installedVersion(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT to_regclass('inbox_schema') IS NULL")) {
            if (!row.next() || row.getBoolean(1)) {
                return 0;
            }
        }
        try (ResultSet row = statement.executeQuery(PostgresStatements.INSTALLED_VERSION)) {
            return row.next() ? row.getInt(1) : 0;
        }
    }
}
