package io.pigeonhole.benchmarks.server;

import io.pigeonhole.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL, which has a process for each connection. */
final class PostgresServer extends DatabaseServer {
    private static final String BACKENDS =
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'";

    private PostgresServer(DataSource administration, DataSource own, int connections, Runnable stop)
            throws SQLException {
        super(administration, own, connections, stop);
    }

    static PostgresServer at(String url, int connections, Runnable stop) throws SQLException {
        PGSimpleDataSource own = dataSource(url);
        own.setDatabaseName(DATABASE);
        return new PostgresServer(dataSource(url), own, connections, stop);
    }

    static PostgresServer start(Path directory, int connections) throws SQLException {
        EmbeddedPostgres server = EmbeddedPostgres.start(directory);
        return at(server.url("postgres"), connections, server::close);
    }

    private static PGSimpleDataSource dataSource(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setURL(url);
        return dataSource;
    }

    @Override
    public Product product() {
        return Product.POSTGRESQL;
    }

    @Override
    Map<String, String> settings() throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("PostgreSQL", setting("server_version"));
        settings.put(
                "settings",
                "fsync " + setting("fsync") + ", synchronous_commit " + setting("synchronous_commit")
                        + ", shared_buffers " + setting("shared_buffers"));
        return settings;
    }

    @Override
    public boolean isDurable() throws SQLException {
        return setting("fsync").equals("on") && setting("synchronous_commit").equals("on");
    }

    @Override
    List<Long> processes() throws SQLException {
        return ask(BACKENDS).stream().map(Long::valueOf).toList();
    }

    private String setting(String name) throws SQLException {
        return ask("SELECT current_setting('" + name + "')").get(0);
    }
}
