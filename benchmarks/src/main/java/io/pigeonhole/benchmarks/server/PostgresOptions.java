package io.pigeonhole.benchmarks.server;

import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a suite that runs on PostgreSQL only finds its server. */
public final class PostgresOptions {
    private static final Path FILES = Path.of(System.getProperty("pigeonhole.target", "target"));

    @Option(
            names = "--url",
            paramLabel = "JDBC",
            description =
                    "A running PostgreSQL, in which a database is created and dropped; one is started unless set.")
    private @Nullable String url;

    /** Made by picocli. */
    public PostgresOptions() {}

    /** Where servers that are started keep their files. */
    public static Path files() {
        return FILES;
    }

    /** Starts or finds the server. */
    public DatabaseServer server(int connections) throws SQLException {
        return url == null
                ? DatabaseServer.start(Product.POSTGRESQL, FILES, connections)
                : DatabaseServer.at(Product.POSTGRESQL, url, connections);
    }
}
