package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.jdbc.schema.Catalog;
import io.pigeonhole.jdbc.schema.SchemaFiles;
import io.pigeonhole.jdbc.schema.SchemaInstallation;
import io.pigeonhole.jdbc.schema.SchemaOperations;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.sql.StoreSchema;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The tables on PostgreSQL, which are created in one transaction.
 *
 * @param transactions of the database
 * @param digestPartitions in how many hash partitions the keys in digest form are to be; 0 for those that are there, or one table
 */
public record PostgresSchema(ShortTransactions transactions, int digestPartitions) implements SchemaOperations {
    public static final String LOCATION = "io/pigeonhole/schema/postgresql/";

    private static final String DIGESTS = "inbox_ledger_digest";
    private static final String BY_HASH = "table partitioned by HASH (message_key)";

    @Override
    public String location() {
        return LOCATION;
    }

    public static Catalog expected() {
        return SchemaInstallation.expected(LOCATION);
    }

    @Override
    public void checkSession() {
        transactions.run("to check its settings", session -> {
            requireUnicode(session);
            requireParameters(session);
            return true;
        });
    }

    /** Otherwise one character in an error's text, which a message need not even have, keeps its whole batch from being kept. */
    private static void requireUnicode(AdminSession session) throws SQLException {
        try (Statement statement = session.connection().createStatement();
                ResultSet row = statement.executeQuery(session.statements().sql(PostgresSchemaStatement.ENCODING))) {
            row.next();
            String encoding = row.getString(2);
            if (!encoding.equals("UTF8")) {
                throw new ConfigurationException("the database " + row.getString(1) + " has the encoding " + encoding
                        + ", which lacks characters that messages and error texts may have; the inbox needs UTF8. The"
                        + " encoding of a database cannot be changed: create another one with CREATE DATABASE … ENCODING"
                        + " 'UTF8' TEMPLATE template0, and move your tables there with pg_dump and pg_restore");
            }
        }
    }

    /**
     * Otherwise each statement goes by itself: where one is cancelled, even the BEGIN that the driver sends in front, those behind it are
     * executed all the same, and payloads may come back as others.
     */
    private static void requireParameters(AdminSession session) throws SQLException {
        try (Call call = session.call(PostgresSchemaStatement.HAS_PARAMETERS)) {
            if (!Boolean.TRUE.equals(call.text("any", "x").first(row -> row.getBoolean(1)))) {
                throw SimpleMode.refusal("the data source");
            }
        }
    }

    @Override
    public List<String> differencesFrom(Catalog expected) {
        return transactions.run(
                "to read the catalog",
                session -> expected.differencesOf(read(session, expected).asOneTable(DIGESTS, BY_HASH)));
    }

    @Override
    public void install() {
        transactions.run("to create the schema", session -> {
            try (Statement statement = session.connection().createStatement()) {
                Statements statements = session.statements();
                statement.execute(statements.sql(PostgresSchemaStatement.LOCK));
                boolean isInstalled = isInstalled(statements, statement);
                if (!isInstalled) {
                    requireFreeNames(session);
                }
                List<String> missing = SchemaInstallation.missingFiles(session, isInstalled);
                for (String file : missing) {
                    statement.execute(SchemaFiles.read(LOCATION, file));
                }
                if (!isInstalled && digestPartitions > 1) {
                    split(statements, statement);
                } else if (digestPartitions > 0) {
                    requireSplit(statements, statement);
                }
            }
            return true;
        });
    }

    private static boolean isInstalled(Statements statements, Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(statements.sql(PostgresSchemaStatement.INSTALLED_WHERE))) {
            if (!row.next() || row.getString(1) == null) {
                return false;
            }
            if (!row.getString(1).equals(row.getString(2))) {
                throw new ConfigurationException("the inbox lies in the schema " + row.getString(1)
                        + ", but the current schema is " + row.getString(2)
                        + ". To use that inbox, let search_path begin"
                        + " with " + row.getString(1) + "; to make another one in " + row.getString(2)
                        + ", take " + row.getString(1) + " out of search_path");
            }
            return true;
        }
    }

    /** The statements of the files leave alone what is there, so that they can be repeated. */
    private static void requireFreeNames(AdminSession session) throws SQLException {
        try (Call call = session.call(PostgresSchemaStatement.TAKEN_NAMES)) {
            List<String> taken =
                    call.text("relations", expected().relationArray()).all(row -> row.getString(1));
            if (!taken.isEmpty()) {
                throw new ConfigurationException("the current schema has no inbox, but has " + taken
                        + ". If they are yours, rename them, or let search_path begin with a schema for the inbox. If somebody"
                        + " began to create the inbox by hand, execute the text of Schema.print once more: each of its"
                        + " statements can be repeated");
            }
        }
    }

    private void split(Statements statements, Statement statement) throws SQLException {
        statement.execute(statements.sql(PartitionStatement.SPLIT_DIGESTS));
        for (int i = 0; i < digestPartitions; i++) {
            statement.execute(statements.sql(PartitionStatement.ADD_DIGESTS).formatted(i, digestPartitions));
        }
    }

    private void requireSplit(Statements statements, Statement statement) throws SQLException {
        int found = 0;
        try (ResultSet rows = statement.executeQuery(statements.sql(PartitionStatement.DIGEST_TABLES))) {
            while (rows.next()) {
                found++;
            }
        }
        if (found != digestPartitions) {
            throw new ConfigurationException("the keys in digest form lie in " + found + " tables, not in "
                    + digestPartitions
                    + ": that is decided when the schema is created. To change it, create another one, or move the rows of "
                    + DIGESTS + " by hand while nothing runs");
        }
    }

    @Override
    public void ensureDays(int ahead) {
        new LedgerDays(transactions, ahead).ensure();
    }

    /** Asks a database for all that it has of the relations of an expected catalog. */
    public static Catalog read(AdminSession session, Catalog expected) throws SQLException {
        Map<String, String> entries = new TreeMap<>();
        try (Call call = session.call(PostgresSchemaStatement.CATALOG)) {
            return call.text("relations", expected.relationArray()).read(rows -> {
                while (rows.next()) {
                    entries.put(rows.getString(1), rows.getString(2));
                }
                return new Catalog(entries);
            });
        }
    }

    /** Where PostgreSQL finds the tables, which need not be the first schema of the search path. */
    public static StoreSchema find(ConnectionSource connections) {
        return PostgresBoundary.transactions(connections).run("to find the schema of the inbox", session -> {
            try (Call call = session.call(PostgresSchemaStatement.SCHEMAS)) {
                List<String> schemas =
                        call.text("relations", expected().relationArray()).all(row -> row.getString(1));
                if (schemas.size() != 1) {
                    throw new ConfigurationException("the tables of the inbox are found in " + schemas.size()
                            + " schemas, " + schemas
                            + ": leave only one of them in the search_path of the data source");
                }
                return StoreSchema.named(schemas.get(0), "\"");
            }
        });
    }
}
