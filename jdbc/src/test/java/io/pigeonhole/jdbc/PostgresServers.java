package io.pigeonhole.jdbc;

import io.pigeonhole.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The servers that the tests of this package run on: one inside the JVM always, and in a full run the PostgreSQL of this
 * machine where it answers, but where a test is about several databases at once. Where the environment says {@code CI=true} it has to answer. Each has one database for this JVM; tests take
 * schemas in it.
 */
public final class PostgresServers {
    private static final String DATABASE =
            "pigeonhole_it_" + ProcessHandle.current().pid();
    private static final String MACHINES_OWN = "jdbc:postgresql://127.0.0.1:5432/";

    private PostgresServers() {}

    /** For {@code @MethodSource}. */
    public static Stream<PostgresServer> all() {
        PostgresServer own = DatabaseServer.isFull() ? MachinesOwn.SERVER : null;
        return own == null ? Stream.of(embedded()) : Stream.of(embedded(), own);
    }

    /** For {@code @MethodSource}. */
    public static Stream<PostgresServer> ofThisJvm() {
        return Stream.of(embedded());
    }

    public static PostgresServer embedded() {
        return Embedded.SERVER;
    }

    /** Started when the first test asks, stopped when the JVM ends. */
    private static final class Embedded {
        static final PostgresServer SERVER = start();

        private static PostgresServer start() {
            EmbeddedPostgres postgres = EmbeddedPostgres.startWithoutFlush(
                    Path.of(System.getProperty("pigeonhole.target", "target"), "postgres"));
            postgres.createDatabase(DATABASE);
            return new PostgresServer("embedded", postgres.url(DATABASE));
        }
    }

    /** Its database is dropped when the JVM ends. */
    private static final class MachinesOwn {
        static final @Nullable PostgresServer SERVER = find();

        private static @Nullable PostgresServer find() {
            DataSource maintenance = dataSource(MACHINES_OWN + "postgres?user=postgres&connectTimeout=2");
            try {
                DatabaseServer.execute(
                        maintenance, "DROP DATABASE IF EXISTS " + DATABASE, "CREATE DATABASE " + DATABASE);
            } catch (SQLException e) {
                if (DatabaseServer.isCi()) {
                    throw new IllegalStateException(
                            "the PostgreSQL of this machine does not answer, but CI needs it", e);
                }
                return null;
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    DatabaseServer.execute(maintenance, "DROP DATABASE IF EXISTS " + DATABASE + " WITH (FORCE)");
                } catch (SQLException e) {
                    throw new IllegalStateException("the database " + DATABASE + " stays behind", e);
                }
            }));
            return new PostgresServer("of this machine", MACHINES_OWN + DATABASE + "?user=postgres");
        }
    }

    public static DataSource dataSource(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }
}
