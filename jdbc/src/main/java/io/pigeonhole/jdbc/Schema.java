package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.Products;
import io.pigeonhole.jdbc.generic.PlainBoundary;
import io.pigeonhole.jdbc.generic.PlainSchema;
import io.pigeonhole.jdbc.postgresql.PostgresBoundary;
import io.pigeonhole.jdbc.postgresql.PostgresSchema;
import io.pigeonhole.jdbc.schema.SchemaFiles;
import io.pigeonhole.jdbc.schema.SchemaInstallation;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.io.PrintStream;
import java.sql.DriverManager;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the inbox, as SQL files in this jar below {@code io/pigeonhole/schema}. A folder for each database is a location for
 * Flyway, {@code io/pigeonhole/schema/liquibase.xml} is a changelog for Liquibase; both can be used beside migrations of one's own, and
 * in turns with this class. Nothing creates or alters the tables unasked; a {@link JdbcStore} checks them when it is made. The days of
 * ledger and history are data of theirs, which every node creates ahead of time.
 *
 * <p>Everything lies in the current schema of the connection, the first of its {@code search_path}.
 */
public final class Schema {
    static final int DAYS_AHEAD = SchemaFiles.DAYS_AHEAD;

    private static final List<String> DATABASES = List.of("postgresql", "mariadb", "h2");

    private Schema() {}

    /**
     * The SQL of all versions for PostgreSQL, oldest first. Each statement can be repeated, and then changes nothing.
     *
     * @return statements that create the tables in an empty schema
     */
    public static String print() {
        return printFrom(PostgresSchema.LOCATION);
    }

    /**
     * The same for one of the databases.
     *
     * @param database {@code postgresql}, {@code mariadb}, which is for MySQL too, or {@code h2}
     * @return statements that create the tables in an empty schema
     * @throws IllegalArgumentException if it is none of these
     */
    public static String print(String database) {
        if (!DATABASES.contains(database)) {
            throw new IllegalArgumentException(
                    "there is no schema for '" + database + "', only for " + String.join(", ", DATABASES));
        }
        return printFrom("io/pigeonhole/schema/" + database + "/");
    }

    private static String printFrom(String location) {
        return SchemaFiles.ALL.stream()
                .map(file -> SchemaFiles.read(location, file))
                .collect(Collectors.joining("\n"));
    }

    /**
     * Compares the database with what this version of the library needs. Changes nothing. Columns, tables and indexes in
     * addition are no difference, except a unique index on the ledger, the work or the dead letters that lacks the columns of
     * its key: it would refuse messages that are new.
     *
     * @param dataSource the database
     * @throws ConfigurationException if there are differences: its text lists each of them
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if the database cannot be reached
     */
    public static void validate(DataSource dataSource) {
        validate(ConnectionSource.of(dataSource));
    }

    /**
     * Creates what is missing up to this version of the library, in one transaction where the database can do that, and then the days of ledger and
     * history from today to {@value #DAYS_AHEAD} days ahead. Does nothing where all is there. Many programs may do so at
     * once. A crash leaves the schema as it was, complete, or to be completed by the next call, as are days that are missing.
     *
     * @param dataSource the database; its user must be allowed to create tables
     * @throws ConfigurationException if what is there differs from what the installed version created, or on PostgreSQL lies in
     *     another schema than the current one
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused
     */
    public static void apply(DataSource dataSource) {
        apply(ConnectionSource.of(dataSource));
    }

    /**
     * The same on PostgreSQL, with the keys that have no time in several hash partitions instead of one table: for very many
     * of them, so that several processes vacuum and several nodes delete old keys at once. Decided once, when the schema is
     * created.
     *
     * @param dataSource the database; its user must be allowed to create tables
     * @param digestPartitions how many, from 1 to 256
     * @throws ConfigurationException if the schema is there with another number of them, or the database is not PostgreSQL
     */
    public static void apply(DataSource dataSource, int digestPartitions) {
        if (digestPartitions < 1 || digestPartitions > 256) {
            throw new IllegalArgumentException("digestPartitions " + digestPartitions + " is not from 1 to 256");
        }
        ConnectionSource connections = ConnectionSource.of(dataSource);
        Dialect dialect = Products.find(connections);
        if (dialect != null) {
            throw new ConfigurationException(
                    "hash partitions of the ledger are for PostgreSQL only, not for " + dialect);
        }
        ofPostgres(connections, digestPartitions).apply();
    }

    /**
     * The same for a shell: {@code print}, {@code print mariadb}, {@code validate URL} or {@code apply URL}. The JDBC driver must be on the class
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
            if (command.equals("print") && arguments.length == 2) {
                out.print(print(arguments[1]));
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
        err.println("Usage: print [postgresql | mariadb | h2] | validate JDBC-URL | apply JDBC-URL");
        return 2;
    }

    static void validate(ConnectionSource connections) {
        validate(connections, Products.find(connections));
    }

    static void validate(ConnectionSource connections, @Nullable Dialect dialect) {
        installation(connections, dialect).validate();
    }

    static void apply(ConnectionSource connections) {
        installation(connections, Products.find(connections)).apply();
    }

    /** That of the database that connections lead to; PostgreSQL has no dialect. */
    static SchemaInstallation installation(ConnectionSource connections, @Nullable Dialect dialect) {
        if (dialect == null) {
            return ofPostgres(connections, 0);
        }
        ShortTransactions transactions = PlainBoundary.transactions(connections, dialect);
        return new SchemaInstallation(transactions, new PlainSchema(transactions, dialect));
    }

    /** With the keys in digest form in so many hash partitions, or 0 for those that are there, or one table. */
    private static SchemaInstallation ofPostgres(ConnectionSource connections, int digestPartitions) {
        ShortTransactions transactions = PostgresBoundary.transactions(connections);
        return new SchemaInstallation(transactions, new PostgresSchema(transactions, digestPartitions));
    }
}
