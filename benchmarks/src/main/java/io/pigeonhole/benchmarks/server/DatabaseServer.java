package io.pigeonhole.benchmarks.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.embedded.EmbeddedPostgres;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL server, and on it a database that is the benchmark's own and is dropped at the end. */
public final class DatabaseServer implements AutoCloseable {
    private static final String DATABASE =
            "pigeonhole_bench_" + ProcessHandle.current().pid();

    private static final String BACKENDS =
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'";

    private final PGSimpleDataSource administration;
    private final HikariDataSource pool;
    private final Runnable stop;

    private DatabaseServer(String url, int connections, Runnable stop) throws SQLException {
        this.stop = stop;
        this.administration = new PGSimpleDataSource();
        administration.setURL(url);
        administer("CREATE DATABASE " + DATABASE);
        PGSimpleDataSource own = new PGSimpleDataSource();
        own.setURL(url);
        own.setDatabaseName(DATABASE);
        HikariConfig config = new HikariConfig();
        config.setDataSource(own);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(connections);
        this.pool = new HikariDataSource(config);
    }

    /**
     * Uses a running server.
     *
     * @param url the JDBC URL of a database that one may create others from
     * @param connections the size of the pool
     */
    public static DatabaseServer at(String url, int connections) throws SQLException {
        return new DatabaseServer(url, connections, () -> {});
    }

    /**
     * Starts a server of its own, with the durable settings that a production server has.
     *
     * @param directory where its files go
     * @param connections the size of the pool
     */
    public static DatabaseServer start(Path directory, int connections) throws SQLException {
        EmbeddedPostgres server = EmbeddedPostgres.start(directory);
        return new DatabaseServer(server.url("postgres"), connections, server::close);
    }

    /** The pool, with the defaults of HikariCP and of the driver but for its size: what a user has. */
    public DataSource dataSource() {
        return pool;
    }

    /** What the server says of itself; its settings decide what a commit costs. */
    public Map<String, String> environment() throws SQLException {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("PostgreSQL", setting("server_version"));
        environment.put(
                "settings",
                "fsync " + setting("fsync") + ", synchronous_commit " + setting("synchronous_commit")
                        + ", shared_buffers " + setting("shared_buffers"));
        environment.put("JDK", Runtime.version().toString());
        OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
        environment.put(
                "machine",
                String.format(
                        Locale.ROOT,
                        "%d processors, load average %.1f before the run",
                        machine.getAvailableProcessors(),
                        machine.getSystemLoadAverage()));
        return environment;
    }

    /** Whether a commit is on the disk when it returns. */
    public boolean isDurable() throws SQLException {
        return setting("fsync").equals("on") && setting("synchronous_commit").equals("on");
    }

    /** The processor time so far of this process and of the server's processes that serve it. */
    public CpuTime cpuTime() throws SQLException {
        long server = 0;
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(BACKENDS)) {
            while (rows.next()) {
                server += ProcessHandle.of(rows.getLong(1))
                        .map(DatabaseServer::cpuNanos)
                        .orElse(0L);
            }
        }
        return new CpuTime(cpuNanos(ProcessHandle.current()), server);
    }

    private static long cpuNanos(ProcessHandle process) {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    private String setting(String name) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_setting('" + name + "')")) {
            row.next();
            return row.getString(1);
        }
    }

    private void administer(String sql) throws SQLException {
        try (Connection connection = administration.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Drops the database, and stops the server where it was started for this. */
    @Override
    public void close() throws SQLException {
        try {
            pool.close();
            administer("DROP DATABASE " + DATABASE);
        } finally {
            stop.run();
        }
    }
}
