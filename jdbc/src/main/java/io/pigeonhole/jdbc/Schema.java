package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The tables of the inbox, as versioned SQL files in this jar below {@value #LOCATION}, named so that Flyway can be pointed
 * there. Nothing creates or alters them unasked; a {@link JdbcStore} checks them when it is made. The days of ledger and
 * history are data of theirs, which every node creates ahead of time.
 *
 * <p>Everything lies in the current schema of the connection, the first of its {@code search_path}.
 */
public final class Schema {
    static final String LOCATION = "io/pigeonhole/schema/postgresql/";
    static final int DAYS_AHEAD = 8;

    /** Version n is the n-th. */
    private static final List<String> FILES = List.of("V1__inbox.sql");

    private Schema() {}

    /**
     * The SQL of all versions, oldest first.
     *
     * @return statements that create the tables in an empty schema
     */
    public static String print() {
        return FILES.stream().map(Schema::resource).collect(Collectors.joining("\n"));
    }

    /**
     * Compares the database with what this version of the library needs. Changes nothing. Columns, tables and indexes in
     * addition are no difference.
     *
     * @param dataSource the database
     * @throws ConfigurationException if there are differences: its text lists each of them
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if the database cannot be reached
     */
    public static void validate(DataSource dataSource) {
        validate(dataSource::getConnection);
    }

    /**
     * Creates what is missing up to this version of the library, in one transaction, and then the days of ledger and
     * history from today to {@value #DAYS_AHEAD} days ahead. Does nothing where all is there. Many programs may do so at
     * once. A crash leaves the schema as it was or complete; days that are missing come with the next call.
     *
     * @param dataSource the database; its user must be allowed to create tables
     * @throws ConfigurationException if what is there differs from what the installed version created
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused
     */
    public static void apply(DataSource dataSource) {
        apply(dataSource::getConnection);
    }

    /**
     * The same for a shell: {@code print}, {@code validate URL} or {@code apply URL}. The JDBC driver must be on the class
     * path.
     *
     * @param arguments what to do, and the JDBC URL with user and password
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    static int run(String[] arguments, PrintStream out, PrintStream err) {
        String command = arguments.length == 0 ? "" : arguments[0];
        try {
            if (command.equals("print") && arguments.length == 1) {
                out.print(print());
                return 0;
            }
            if (arguments.length == 2 && (command.equals("validate") || command.equals("apply"))) {
                ConnectionSource connections = () -> DriverManager.getConnection(arguments[1]);
                if (command.equals("apply")) {
                    apply(connections);
                }
                validate(connections);
                out.println("The schema is as it should be.");
                return 0;
            }
        } catch (RuntimeException e) {
            err.println(e.getMessage());
            return 1;
        }
        err.println("Usage: print | validate JDBC-URL | apply JDBC-URL");
        return 2;
    }

    static void validate(ConnectionSource connections) {
        List<String> differences = Errand.run(connections, "to read the catalog", connection -> {
            Dialect.require(connection);
            Catalog expected = expected();
            return expected.differencesOf(Catalog.read(connection, expected));
        });
        if (!differences.isEmpty()) {
            throw new ConfigurationException("the schema of the inbox differs in " + differences.size() + " places:\n  "
                    + String.join("\n  ", differences)
                    + "\nTo create it run Schema.apply, or point Flyway to classpath:" + LOCATION
                    + "; to repair it compare with Schema.print");
        }
    }

    static void apply(ConnectionSource connections) {
        Errand.run(connections, "to create the schema", Schema::install);
        validate(connections);
        new LedgerDays(connections, DAYS_AHEAD).ensure();
    }

    static Catalog expected() {
        return Catalog.parse(resource("catalog.txt"));
    }

    private static int install(Connection connection) throws SQLException {
        Dialect.require(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresStatements.LOCK_SCHEMA);
            int installed = installedVersion(statement);
            for (String file : FILES.subList(Math.min(installed, FILES.size()), FILES.size())) {
                statement.execute(resource(file));
            }
            return FILES.size() - installed;
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

    private static String resource(String name) {
        try (InputStream in = Schema.class.getClassLoader().getResourceAsStream(LOCATION + name)) {
            if (in == null) {
                throw new IllegalStateException(LOCATION + name + " is not on the class path: is the jar complete?");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(LOCATION + name + " cannot be read", e);
        }
    }
}
