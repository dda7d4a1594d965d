package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.schema.Catalog;
import io.pigeonhole.jdbc.schema.SchemaFiles;
import io.pigeonhole.jdbc.schema.SchemaInstallation;
import io.pigeonhole.jdbc.schema.SchemaOperations;
import io.pigeonhole.jdbc.schema.SchemaStatement;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.Connections;
import io.pigeonhole.jdbc.sql.OwnTables;
import io.pigeonhole.jdbc.sql.ShortTransactions;
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
 *
 * @param transactions of the database
 * @param dialect what it says otherwise
 */
public record PlainSchema(ShortTransactions transactions, Dialect dialect) implements SchemaOperations {
    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*--.*$");
    private static final Pattern END_OF_STATEMENT = Pattern.compile(";\\s*(?:\\n|$)");

    @Override
    public String location() {
        return dialect.schema();
    }

    @Override
    public void checkSession() throws SQLException {
        transactions.withAutoCommit(dialect::checkSession);
    }

    @Override
    public void checkDurability() throws SQLException {
        transactions.withAutoCommit(dialect::checkDurability);
    }

    @Override
    public void ensureDays(int ahead) {
        new PlainDays(transactions, dialect, ahead).ensure();
    }

    /**
     * A catalog may lack keys of a table that another program is giving a new day at this moment (tried on MariaDB). So a
     * difference counts if it is still there while nobody may change the schema.
     */
    @Override
    public List<String> differencesFrom(Catalog expected) throws SQLException {
        List<String> differences = new ArrayList<>();
        Connections.Action compare = connection -> {
            differences.clear();
            differences.addAll(expected.differencesOf(read(session(connection))));
        };
        transactions.withAutoCommit(compare);
        if (!differences.isEmpty()) {
            transactions.withAutoCommit(SchemaLock.holding(dialect, compare));
        }
        return differences;
    }

    @Override
    public void install() throws SQLException {
        transactions.withAutoCommit(SchemaLock.holding(dialect, connection -> {
            AdminSession session = session(connection);
            List<String> missing = SchemaInstallation.missingFiles(session, isInstalled(session));
            try (Statement statement = connection.createStatement()) {
                for (String file : missing) {
                    for (String sql : statements(SchemaFiles.read(dialect.schema(), file))) {
                        repeat(statement, sql);
                    }
                }
            }
        }));
    }

    private AdminSession session(Connection connection) {
        return PlainBoundary.withoutTransaction(connection, dialect);
    }

    private static boolean isInstalled(AdminSession session) throws SQLException {
        try (Call call = session.call(SchemaStatement.TABLES)) {
            return call.all(row -> lower(row, 1)).contains("inbox_schema");
        }
    }

    /** A row that is there already was inserted by a program that runs at the same time. */
    private void repeat(Statement statement, String sql) throws SQLException {
        try {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!dialect.isDuplicateKey(e)) {
                throw e;
            }
        }
    }

    /** A statement ends with a semicolon at the end of a line; comments have lines of their own. */
    public static List<String> statements(String file) {
        return END_OF_STATEMENT
                .splitAsStream(COMMENT.matcher(file).replaceAll(""))
                .map(String::strip)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    /** All that the current schema has of the inbox. */
    public static Catalog read(AdminSession session) throws SQLException {
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
        entries.keySet()
                .removeIf(subject -> subject.startsWith("inbox.") || !OwnTables.has(Catalog.relationOf(subject)));
        return new Catalog(entries);
    }

    private static void ask(AdminSession session, SchemaStatement question, Reader reader) throws SQLException {
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
