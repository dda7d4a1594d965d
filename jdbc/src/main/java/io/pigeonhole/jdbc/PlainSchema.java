package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The tables on databases that commit each definition by itself. Every statement of their files can be repeated, so that a
 * run that was interrupted is completed by the next.
 */
final class PlainSchema {
    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*--.*$");
    private static final Pattern END_OF_STATEMENT = Pattern.compile(";\\s*(?:\\n|$)");

    private PlainSchema() {}

    /** Also looks at the session, and whether what is committed survives. */
    static void validate(ConnectionSource connections, Dialect dialect) {
        checkSession(connections, dialect);
        Schema.refuse(differences(connections, dialect), dialect.schema());
        try {
            PlainBoundary.transactions(connections, dialect).withAutoCommit(dialect::checkDurability);
        } catch (SQLException e) {
            throw Refusals.byItself(new PlainErrors(dialect), "to tell whether it is durable", e);
        }
    }

    private static void checkSession(ConnectionSource connections, Dialect dialect) {
        try {
            PlainBoundary.transactions(connections, dialect).withAutoCommit(dialect::checkSession);
        } catch (SQLException e) {
            throw Refusals.byItself(new PlainErrors(dialect), "to tell its mode and its character sets", e);
        }
    }

    /**
     * A catalog may lack keys of a table that another program is giving a new day at this moment (tried on MariaDB). So a
     * difference counts if it is still there while nobody may change the schema.
     */
    private static List<String> differences(ConnectionSource connections, Dialect dialect) {
        Catalog expected = Catalog.parse(Schema.resource(dialect.schema(), "catalog.txt"));
        try {
            List<String> differences = new ArrayList<>();
            Connections.Action read = connection -> {
                differences.clear();
                differences.addAll(expected.differencesOf(read(PlainSession.on(connection, dialect))));
            };
            PlainBoundary.transactions(connections, dialect).withAutoCommit(read);
            if (!differences.isEmpty()) {
                PlainBoundary.transactions(connections, dialect).withAutoCommit(SchemaLock.holding(dialect, read));
            }
            return differences;
        } catch (SQLException e) {
            throw Refusals.byItself(new PlainErrors(dialect), "to read the catalog", e);
        }
    }

    static void apply(ConnectionSource connections, Dialect dialect) {
        ShortTransactions transactions = PlainBoundary.transactions(connections, dialect);
        try {
            transactions.withAutoCommit(SchemaLock.holding(dialect, connection -> install(connection, dialect)));
        } catch (SQLException e) {
            throw Refusals.byItself(new PlainErrors(dialect), "to create the schema", e);
        }
        validate(connections, dialect);
        new PlainDays(transactions, dialect, Schema.DAYS_AHEAD).ensure();
    }

    private static void install(Connection connection, Dialect dialect) throws SQLException {
        int installed = installedVersion(connection, dialect);
        try (Statement statement = connection.createStatement()) {
            for (String file : Schema.FILES.subList(Math.min(installed, Schema.FILES.size()), Schema.FILES.size())) {
                for (String sql : statements(Schema.resource(dialect.schema(), file))) {
                    repeat(statement, sql, dialect);
                }
            }
        }
    }

    /** A row that is there already was inserted by a program that runs at the same time. */
    private static void repeat(Statement statement, String sql, Dialect dialect) throws SQLException {
        try {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!dialect.isDuplicateKey(e)) {
                throw e;
            }
        }
    }

    /** A statement ends with a semicolon at the end of a line; comments have lines of their own. */
    static List<String> statements(String file) {
        return END_OF_STATEMENT
                .splitAsStream(COMMENT.matcher(file).replaceAll(""))
                .map(String::strip)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    private static int installedVersion(Connection connection, Dialect dialect) throws SQLException {
        boolean isThere;
        PlainSession session = PlainSession.withoutClock(connection, dialect);
        try (Call call = session.call(SchemaStatement.TABLES)) {
            isThere = call.all(row -> lower(row, 1)).contains("inbox_schema");
        }
        if (!isThere) {
            return 0;
        }
        try (Call call = session.call(SchemaStatement.INSTALLED_VERSION)) {
            Integer version = call.first(row -> row.getInt(1));
            return version == null ? 0 : version;
        }
    }

    /** All that the current schema has of the inbox. */
    static Catalog read(PlainSession session) throws SQLException {
        Map<String, String> entries = new TreeMap<>();
        ask(session, SchemaStatement.TABLES, row -> {
            boolean view = lower(row, 2).contains("view");
            entries.put(lower(row, 1), view ? "view" : "table");
        });
        ask(session, SchemaStatement.COLUMNS, row -> {
            long length = row.getLong(4);
            String type = lower(row, 3) + (length == 0 ? "" : "(" + length + ")");
            entries.put(
                    lower(row, 1) + "." + lower(row, 2), type + (lower(row, 5).equals("no") ? " not null" : ""));
        });
        Map<String, List<String>> keys = new TreeMap<>();
        ask(
                session,
                SchemaStatement.KEYS,
                row -> keys.computeIfAbsent(
                                lower(row, 1) + ": " + row.getString(2) + " " + row.getString(3),
                                any -> new ArrayList<>())
                        .add(lower(row, 4)));
        keys.forEach((key, columns) -> {
            String[] parts = key.split(": ", 2);
            String type = parts[1].startsWith("PRIMARY") ? "PRIMARY KEY" : "UNIQUE";
            entries.put(parts[0] + ": " + type + " (" + String.join(", ", columns) + ")", "constraint");
        });
        // What the view's columns are is said by the tables' already.
        entries.keySet().removeIf(subject -> !subject.startsWith("inbox_") && !subject.equals("inbox"));
        return new Catalog(entries);
    }

    private static void ask(PlainSession session, SchemaStatement question, Reader reader) throws SQLException {
        try (Call call = session.call(question)) {
            call.read(rows -> {
                while (rows.next()) {
                    reader.read(rows);
                }
                return question;
            });
        }
    }

    private static String lower(ResultSet row, int column) throws SQLException {
        return row.getString(column).toLowerCase(Locale.ROOT);
    }

    /** Reads a row. */
    @FunctionalInterface
    private interface Reader {
        void read(ResultSet row) throws SQLException;
    }
}
