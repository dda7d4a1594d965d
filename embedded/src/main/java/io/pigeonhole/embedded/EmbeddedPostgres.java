package io.pigeonhole.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL server of this process, durable (fsync and synchronous_commit are on) unless asked otherwise, reachable on the loopback
 * interface only, without a password. It works as root and as an ordinary user, and it can be killed as a power cut would
 * kill it. Safe for use by many threads, except that {@link #kill}, {@link #restart} and {@link #close} are for one.
 *
 * <p>A JVM that exits stops its server and deletes its data; a JVM that is killed leaves both.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final String HOST = "127.0.0.1";

    private final Path data;
    private final Path controller;
    private static @Nullable Path binaries;

    private final int port;
    private final Map<String, String> settings;
    private final Thread closer = new Thread(this::stopAndDelete, "embedded-postgres-closer");
    private boolean running = true;

    private EmbeddedPostgres(Path data, Path controller, int port, Map<String, String> settings) {
        this.data = data;
        this.controller = controller;
        this.port = port;
        this.settings = settings;
    }

    /**
     * Starts a new, empty server on a free port. The first start in a JVM unpacks the server's programs into its
     * directory, which takes about two seconds; later ones find them.
     *
     * @param directory where all its files go; callers put it below {@code target/}
     * @return the running server, to be closed by the caller
     * @throws UncheckedIOException if it does not start
     */
    public static EmbeddedPostgres start(Path directory) {
        return start(directory, true, Map.of());
    }

    /**
     * The same, but nothing is flushed to the disk: commits survive the death of every process, this server's included, and
     * not that of the machine. For tests, which take half the time with it.
     *
     * @param directory where all its files go; callers put it below {@code target/}
     * @return the running server, to be closed by the caller
     * @throws UncheckedIOException if it does not start
     */
    public static EmbeddedPostgres startWithoutFlush(Path directory) {
        return startWithoutFlush(directory, Map.of());
    }

    /**
     * The same with settings of the caller's own, such as {@code wal_level=logical}.
     *
     * @param directory where all its files go; callers put it below {@code target/}
     * @param settings by their names, in place of those that a test has otherwise
     * @return the running server, to be closed by the caller
     * @throws UncheckedIOException if it does not start
     */
    public static EmbeddedPostgres startWithoutFlush(Path directory, Map<String, String> settings) {
        return start(directory, false, settings);
    }

    private static EmbeddedPostgres start(Path directory, boolean flush, Map<String, String> own) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fsync", flush ? "on" : "off");
        settings.put("synchronous_commit", "on");
        settings.put("full_page_writes", flush ? "on" : "off");
        settings.put("listen_addresses", HOST);
        settings.put("unix_socket_directories", "");
        settings.put("max_connections", "200");
        settings.putAll(own);
        try {
            Path root = Files.createDirectories(directory.toAbsolutePath());
            Path binaries = binariesIn(root);
            Path data = Files.createTempDirectory(root, "data-");
            var builder = io.zonky.test.db.postgres.embedded.EmbeddedPostgres.builder()
                    .setOverrideWorkingDirectory(binaries.toFile())
                    .setDataDirectory(data)
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(false)
                    .setPGStartupWait(TIMEOUT)
                    .setOutputRedirector(Redirect.DISCARD)
                    .setErrorRedirector(Redirect.DISCARD);
            settings.forEach(builder::setServerConfig);
            // The library prepares and starts; stopping and restarting are done here, because its own way of stopping
            // takes a killed server for an error and its lock on the directory outlives the server.
            int port = builder.start().getPort();
            var server = new EmbeddedPostgres(data, controllerIn(binaries, data), port, settings);
            Runtime.getRuntime().addShutdownHook(server.closer);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL did not start in " + directory, e);
        }
    }

    /**
     * The JDBC URL of a database, its user included.
     *
     * @param database the name of the database; {@code postgres} always exists
     * @return the URL
     */
    public String url(String database) {
        return "jdbc:postgresql://" + HOST + ":" + port + "/" + database + "?user=postgres";
    }

    /**
     * A data source that opens a new connection for every call.
     *
     * @param database the name of the database
     * @return a data source without a pool
     */
    public DataSource dataSource(String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url(database));
        return dataSource;
    }

    /**
     * Creates a database.
     *
     * @param name its name, in lower case
     */
    public void createDatabase(String name) {
        try (Connection connection = dataSource("postgres").getConnection();
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

    /**
     * Where the server keeps its data, for tests that leave it a file to find at its {@link #restart}.
     *
     * @return the directory; gone after {@link #close}
     */
    public Path dataDirectory() {
        return data;
    }

    /** Ends the server and all its backends with SIGKILL, and returns when nobody answers any more. */
    public void kill() {
        try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
            long pid = Long.parseLong(lines.findFirst().orElseThrow().trim());
            List<ProcessHandle> processes = new ArrayList<>();
            ProcessHandle.of(pid).ifPresent(postmaster -> {
                processes.add(postmaster);
                processes.addAll(postmaster.descendants().toList());
            });
            processes.forEach(ProcessHandle::destroyForcibly);
            await("the end of the killed server", () -> processes.stream().allMatch(EmbeddedPostgres::isGone));
            running = false;
        } catch (IOException e) {
            throw new UncheckedIOException("the server in " + data + " has no process id: is it running?", e);
        }
    }

    /** Starts a killed server again, on the same files and the same port, and returns when it answers. */
    public void restart() {
        try {
            // Where nobody reaps the killed process, its id is still taken and the new server would believe in it.
            Files.deleteIfExists(data.resolve("postmaster.pid"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        StringBuilder options = new StringBuilder("-p ").append(port);
        settings.forEach(
                (name, value) -> options.append(" -c ").append(name).append('=').append(value));
        control("-o", options.toString(), "-t", "" + TIMEOUT.toSeconds(), "-w", "start");
        running = true;
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

    private void stopAndDelete() {
        stop();
        deleteData();
    }

    private synchronized void stop() {
        if (running) {
            running = false;
            control("-m", "immediate", "-w", "stop");
        }
    }

    private void control(String... arguments) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // The server refuses to run as root; in a user namespace of its own it is nobody.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(controller.toString(), "-D", data.toString()));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            if (!process.waitFor(TIMEOUT.toSeconds() + 5, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(String.join(" ", command) + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command) + " cannot be run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the server", e);
        }
    }

    private void deleteData() {
        if (Files.notExists(data)) {
            return;
        }
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the data of the stopped server cannot be deleted", e);
        }
    }

    /** A zombie, which nobody reaped yet, has no command line any more. */
    private static boolean isGone(ProcessHandle process) {
        return !process.isAlive() || process.info().command().isEmpty();
    }

    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean() || isAnswering()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("waited " + TIMEOUT.toSeconds() + " s for " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private boolean isAnswering() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The library unpacks once in a JVM: whoever starts first decides where. */
    private static synchronized Path binariesIn(Path root) throws IOException {
        Path unpacked = binaries;
        if (unpacked == null) {
            unpacked = ServerPrograms.directory(root, "postgres");
            binaries = unpacked;
        }
        return unpacked;
    }

    /** Programs of other versions lie beside them where a test ran with these before. */
    private static Path controllerIn(Path binaries, Path data) throws IOException {
        String version = Files.readString(data.resolve("PG_VERSION")).trim();
        try (Stream<Path> files = Files.walk(binaries, 4)) {
            for (Path file : files.filter(file -> file.endsWith("bin/pg_ctl") || file.endsWith("bin/pg_ctl.exe"))
                    .toList()) {
                if (versionOf(file).contains(" " + version + ".")) {
                    return file;
                }
            }
        }
        throw new IOException("no pg_ctl of version " + version + " below " + binaries);
    }

    private static String versionOf(Path controller) throws IOException {
        Process process = new ProcessBuilder(controller.toString(), "--version")
                .redirectErrorStream(true)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
