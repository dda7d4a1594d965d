package io.pigeonhole.benchmarks.server;

import io.pigeonhole.embedded.EmbeddedMariaDb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** MariaDB, which has one process. */
final class MariaDbServer extends DatabaseServer {
    private MariaDbServer(DataSource administration, DataSource own, int connections, Runnable stop)
            throws SQLException {
        super(administration, own, connections, stop);
    }

    static MariaDbServer at(String url, int connections, Runnable stop) throws SQLException {
        String own = url.replaceFirst("(://[^/]+/)[^?]*", "$1" + DATABASE);
        return new MariaDbServer(new MariaDbDataSource(url), new MariaDbDataSource(own), connections, stop);
    }

    static MariaDbServer start(Path directory, int connections) throws SQLException {
        EmbeddedMariaDb server = EmbeddedMariaDb.start(directory);
        return at(server.url(""), connections, server::close);
    }

    @Override
    public Product product() {
        return Product.MARIADB;
    }

    @Override
    Map<String, String> settings() throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("MariaDB", setting("version"));
        settings.put(
                "settings",
                "innodb_flush_log_at_trx_commit " + setting("innodb_flush_log_at_trx_commit")
                        + ", innodb_buffer_pool_size " + (Long.parseLong(setting("innodb_buffer_pool_size")) >> 20)
                        + " MiB");
        return settings;
    }

    @Override
    public boolean isDurable() throws SQLException {
        return setting("innodb_flush_log_at_trx_commit").equals("1");
    }

    @Override
    List<Long> processes() throws SQLException {
        Path file = Path.of(setting("datadir")).resolve(setting("pid_file"));
        try {
            return List.of(Long.valueOf(Files.readString(file).strip()));
        } catch (IOException e) {
            throw new UncheckedIOException("the server's process id is not in " + file, e);
        }
    }

    private String setting(String name) throws SQLException {
        return ask("SELECT @@global." + name).get(0);
    }
}
