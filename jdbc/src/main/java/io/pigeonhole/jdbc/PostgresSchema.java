package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;

/** The tables on PostgreSQL. */
final class PostgresSchema {
    static final String LOCATION = "io/pigeonhole/schema/postgresql/";

    private static final String DIGESTS = "inbox_ledger_digest";
    private static final String BY_HASH = "table partitioned by HASH (message_key)";

    private PostgresSchema() {}

    static void validate(ConnectionSource connections) {
        requireUnicode(connections);
        requireBytes(connections);
        List<String> differences = PostgresBoundary.transactions(connections).run("to read the catalog", session -> {
            Catalog expected = expected();
            return expected.differencesOf(
                    Catalog.read(session.connection(), expected).asOneTable(DIGESTS, BY_HASH));
        });
        Schema.refuse(differences, LOCATION);
    }

    /** With the keys in digest form in so many hash partitions, or 0 for those that are there, or one table. */
    static void apply(ConnectionSource connections, int digestPartitions) {
        requireUnicode(connections);
        requireBytes(connections);
        ShortTransactions transactions = PostgresBoundary.transactions(connections);
        transactions.run("to create the schema", session -> install(session.connection(), digestPartitions));
        validate(connections);
        new LedgerDays(transactions, Schema.DAYS_AHEAD).ensure();
    }

    /** Otherwise one character in an error's text, which a message need not even have, keeps its whole batch from being kept. */
    private static void requireUnicode(ConnectionSource connections) {
        PostgresBoundary.transactions(connections).run("to tell its encoding", session -> {
            try (Statement statement = session.connection().createStatement();
                    ResultSet row = statement.executeQuery(PostgresStatements.ENCODING)) {
                row.next();
                String encoding = row.getString(2);
                if (!encoding.equals("UTF8")) {
                    throw new ConfigurationException(
                            "the database " + row.getString(1) + " has the encoding " + encoding
                                    + ", which lacks characters that messages and error texts may have; the inbox needs UTF8. The"
                                    + " encoding of a database cannot be changed: create another one with CREATE DATABASE … ENCODING"
                                    + " 'UTF8' TEMPLATE template0, and move your tables there with pg_dump and pg_restore");
                }
                return true;
            }
        });
    }

    /** Otherwise payloads that are kept come back as others, without an error. */
    private static void requireBytes(ConnectionSource connections) {
        // As text with backslashes that mean something, these are the bytes of "A42".
        byte[] sent = {'A', 'B'};
        PostgresBoundary.transactions(connections).run("to see that bytes stay as they are", session -> {
            try (PreparedStatement statement = session.connection().prepareStatement(PostgresStatements.SAME_BYTES)) {
                statement.setBytes(1, sent);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    byte[] received = row.getBytes(1);
                    if (!Arrays.equals(sent, received)) {
                        throw new ConfigurationException("the driver sends " + sent.length
                                + " bytes, and the database gets " + received.length
                                + " others: with preferQueryMode=simple the driver writes bytes into the text of statements, which is"
                                + " wrong while standard_conforming_strings is off. Take preferQueryMode=simple out of the URL, or"
                                + " leave standard_conforming_strings on");
                    }
                    return true;
                }
            }
        });
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
        Statements statements = new Statements(PostgresDatabase.STATEMENTS);
        statement.execute(statements.sql(PartitionStatement.SPLIT_DIGESTS));
        for (int i = 0; i < partitions; i++) {
            statement.execute(statements.sql(PartitionStatement.ADD_DIGESTS).formatted(i, partitions));
        }
    }

    private static void requireSplit(Statement statement, int partitions) throws SQLException {
        int found = 0;
        String tables = new Statements(PostgresDatabase.STATEMENTS).sql(PartitionStatement.DIGEST_TABLES);
        try (ResultSet rows = statement.executeQuery(tables)) {
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
        try (ResultSet row = statement.executeQuery(PostgresStatements.INSTALLED_WHERE)) {
            if (!row.next() || row.getString(1) == null) {
                return 0;
            }
            if (!row.getString(1).equals(row.getString(2))) {
                throw new ConfigurationException("the inbox lies in the schema " + row.getString(1)
                        + ", but the current schema is " + row.getString(2)
                        + ". To use that inbox, let search_path begin"
                        + " with " + row.getString(1) + "; to make another one in " + row.getString(2)
                        + ", take " + row.getString(1) + " out of search_path");
            }
        }
        try (ResultSet row = statement.executeQuery(PostgresStatements.INSTALLED_VERSION)) {
            return row.next() ? row.getInt(1) : 0;
        }
    }
}
