package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables on PostgreSQL. */
final class PostgresSchema {
    static final String LOCATION = "io/pigeonhole/schema/postgresql/";

    private static final String DIGESTS = "inbox_ledger_digest";
    private static final String BY_HASH = "table partitioned by HASH (message_key)";

    private PostgresSchema() {}

    static void validate(ConnectionSource connections) {
        List<String> differences = Errand.run(connections, "to read the catalog", connection -> {
            Catalog expected = expected();
            return expected.differencesOf(Catalog.read(connection, expected).asOneTable(DIGESTS, BY_HASH));
        });
        Schema.refuse(differences, LOCATION);
    }

    /** With the keys in digest form in so many hash partitions, or 0 for those that are there, or one table. */
    static void apply(ConnectionSource connections, int digestPartitions) {
        Errand.run(connections, "to create the schema", connection -> install(connection, digestPartitions));
        validate(connections);
        new LedgerDays(connections, Schema.DAYS_AHEAD).ensure();
    }

    static Catalog expected() {
        return Catalog.parse(Schema.resource(LOCATION, "catalog.txt"));
    }

    private static int install(Connection connection, int digestPartitions) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresStatements.LOCK_SCHEMA);
            int installed = installedVersion(statement);
            for (String file : Schema.FILES.subList(Math.min(installed, Schema.FILES.size()), Schema.FILES.size())) {
                statement.execute(Schema.resource(LOCATION, file));
            }
            if (installed == 0 && digestPartitions > 1) {
                split(statement, digestPartitions);
            } else if (digestPartitions > 0) {
                requireSplit(statement, digestPartitions);
            }
            return Schema.FILES.size() - installed;
        }
    }

    private static void split(Statement statement, int partitions) throws SQLException {
        statement.execute(PostgresRetentionStatements.SPLIT_DIGESTS);
        for (int i = 0; i < partitions; i++) {
            statement.execute(PostgresRetentionStatements.ADD_DIGESTS.formatted(i, partitions));
        }
    }

    private static void requireSplit(Statement statement, int partitions) throws SQLException {
        int found = 0;
        try (ResultSet rows = statement.executeQuery(PostgresRetentionStatements.DIGEST_TABLES)) {
            while (rows.next()) {
                found++;
            }
        }
        if (found != partitions) {
            throw new ConfigurationException("the keys in digest form lie in " + found + " tables, not in " + partitions
                    + ": that is decided when the schema is created. To change it, create another one, or move the rows of "
                    + DIGESTS + " by hand while nothing runs");
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
