package io.pigeonhole.jdbc;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A PgBouncer that gives out connections for single transactions, in front of a schema. */
final class PgBouncer implements AutoCloseable {
    private static final int CONNECTIONS = 2;

    private final Process process;
    private final int port;

    private PgBouncer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** What starts one: named in the environment, or found on the path. */
    static Optional<Path> program() {
        String named = System.getenv("PGBOUNCER");
        if (named != null) {
            return Optional.of(Path.of(named));
        }
        for (String directory :
                Objects.requireNonNullElse(System.getenv("PATH"), "").split(":", -1)) {
            Path program = Path.of(directory, "pgbouncer");
            if (Files.isExecutable(program)) {
                return Optional.of(program);
            }
        }
        return Optional.empty();
    }

    /** Starts one with two connections to the server. */
    static PgBouncer start(Path program, Workshop workshop, Path directory) throws IOException {
        URI server = URI.create(workshop.url().substring("jdbc:".length()));
        int port = freePort();
        Path configuration = directory.resolve("pgbouncer.ini");
        Files.writeString(configuration, """
                [databases]
                inbox = host=%s port=%d dbname=%s user=postgres connect_query='SET search_path TO %s'
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = %d
                """.formatted(
                        server.getHost(),
                        server.getPort(),
                        server.getPath().substring(1),
                        workshop.ask("SELECT current_schema()"),
                        port,
                        CONNECTIONS));
        List<String> command = new ArrayList<>(List.of(program.toString(), "-q"));
        if ("root".equals(System.getProperty("user.name"))) {
            // It refuses to run as root. Nobody else has to be able to read the directory.
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(configuration.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("pgbouncer.log").toFile())
                .start();
        PgBouncer started = new PgBouncer(process, port);
        await().atMost(Duration.ofSeconds(30)).until(started::answers);
        return started;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() {
        if (!process.isAlive()) {
            throw new IllegalStateException("PgBouncer ended with " + process.exitValue());
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** With what the driver needs in front of a PgBouncer older than 1.21. */
    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/inbox?user=postgres&prepareThreshold=0";
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
