package io.pigeonhole.benchmarks.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.benchmarks.suite.CpuTime;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;

/** A database server, and on it a database that is the benchmark's own and is dropped at the end. */
public abstract class DatabaseServer implements AutoCloseable {
    static final String DATABASE = "pigeonhole_bench_" + ProcessHandle.current().pid();

    private final DataSource administration;
    private final DataSource own;
    private final int connections;
    private final HikariDataSource pool;
    private final List<HikariDataSource> ofSchemas = new ArrayList<>();
    private final Runnable stop;

    /** Creates the database; the pool has the defaults of HikariCP and of the driver but for its size. */
    DatabaseServer(DataSource administration, DataSource own, int connections, Runnable stop) throws SQLException {
        this.administration = administration;
        this.own = own;
        this.connections = connections;
        this.stop = stop;
        administer("CREATE DATABASE " + DATABASE);
        HikariConfig config = new HikariConfig();
        config.setDataSource(own);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(connections);
        this.pool = new HikariDataSource(config);
    }

    /** Creates a schema, and a pool of as many connections, each made when it is needed, that work in it. */
    public DataSource schema(String name) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA " + name);
        }
        HikariConfig config = new HikariConfig();
        config.setDataSource(own);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        config.setSchema(name);
        HikariDataSource ofSchema = new HikariDataSource(config);
        ofSchemas.add(ofSchema);
        return ofSchema;
    }

    /**
     * Uses a running server.
     *
     * @param url the JDBC URL of a database that one may create others from
     * @param connections the size of the pool
     */
    public static DatabaseServer at(Product product, String url, int connections) throws SQLException {
        return switch (product) {
            case POSTGRESQL -> PostgresServer.at(url, connections, () -> {});
            case MARIADB -> MariaDbServer.at(url, connections, () -> {});
        };
    }

    /**
     * Starts a server of its own, with the durable settings that a production server has.
     *
     * @param directory where its files go, below one of its own
     * @param connections the size of the pool
     */
    public static DatabaseServer start(Product product, Path directory, int connections) throws SQLException {
        return switch (product) {
            case POSTGRESQL -> PostgresServer.start(directory.resolve("postgres"), connections);
            case MARIADB -> MariaDbServer.start(directory.resolve("mariadb"), connections);
        };
    }

    /** Which database it is. */
    public abstract Product product();

    /** The pool: what a user has. */
    public DataSource dataSource() {
        return pool;
    }

    /** What the server says of itself; its settings decide what a commit costs. */
    public Map<String, String> environment() throws SQLException {
        Map<String, String> environment = new LinkedHashMap<>(settings());
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

    /** Version and settings. */
    abstract Map<String, String> settings() throws SQLException;

    /** Whether a commit is on the disk when it returns. */
    public abstract boolean isDurable() throws SQLException;

    /** The processes that serve this database. */
    abstract List<Long> processes() throws SQLException;

    /** The processor time so far of this process and of the server's processes that serve it. */
    public CpuTime cpuTime() throws SQLException {
        long server = 0;
        for (long process : processes()) {
            server += ProcessHandle.of(process).map(DatabaseServer::cpuNanos).orElse(0L);
        }
        return new CpuTime(cpuNanos(ProcessHandle.current()), server);
    }

    private static long cpuNanos(ProcessHandle process) {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    /** The first column. */
    final List<String> ask(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
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
            ofSchemas.forEach(HikariDataSource::close);
            pool.close();
            administer("DROP DATABASE " + DATABASE);
        } finally {
            stop.run();
        }
    }
}
