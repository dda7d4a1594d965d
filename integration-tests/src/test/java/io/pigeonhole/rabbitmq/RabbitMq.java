package io.pigeonhole.rabbitmq;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * RabbitMQ: the one of this machine, which is never touched but for queues of our own, and nodes of our own, which are
 * started from the same installation with ports and files of their own, and may be stopped and killed. Where the environment
 * says {@code CI=true}, both have to be there.
 */
final class RabbitMq implements AutoCloseable {
    /** Where the RabbitMQ of this machine listens. */
    static final int PORT = 5672;

    private static final Path SERVER = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path directory;
    private final int port = freePort();
    private final int distributionPort = freePort();
    private final int epmdPort = freePort();
    private Process process;

    private RabbitMq(Path directory) {
        this.directory = directory.toAbsolutePath();
        this.process = launch();
        awaitAnswer();
    }

    /** For {@code @EnabledIf}. */
    static boolean answersOrHasTo() {
        return isCi() || answers(PORT);
    }

    /** For {@code @EnabledIf}. */
    static boolean isInstalledOrHasToBe() {
        return isCi() || Files.isExecutable(SERVER);
    }

    private static boolean isCi() {
        return Boolean.parseBoolean(System.getenv("CI"));
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** None that the system gives to clients: while the node is stopped, somebody who connects to it could get its port. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // Somebody has it.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Starts a node of our own, which keeps its data in a directory. */
    static RabbitMq start(Path directory) {
        return new RabbitMq(directory);
    }

    int port() {
        return port;
    }

    private Process launch() {
        try {
            Files.createDirectories(directory.resolve("log"));
            ProcessBuilder builder = new ProcessBuilder(SERVER.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(
                            Redirect.appendTo(directory.resolve("output.log").toFile()));
            builder.environment()
                    .putAll(Map.ofEntries(
                            Map.entry("RABBITMQ_NODENAME", "pigeonhole" + port + "@localhost"),
                            Map.entry("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1"),
                            Map.entry("RABBITMQ_NODE_PORT", "" + port),
                            Map.entry("RABBITMQ_DIST_PORT", "" + distributionPort),
                            Map.entry(
                                    "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                                    "-kernel inet_dist_use_interface {127,0,0,1}"),
                            Map.entry("ERL_EPMD_PORT", "" + epmdPort),
                            Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
                            Map.entry("HOME", directory.toString()),
                            Map.entry("RABBITMQ_MNESIA_BASE", file("data")),
                            Map.entry("RABBITMQ_LOG_BASE", file("log")),
                            Map.entry("RABBITMQ_PID_FILE", file("pid")),
                            Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", file("enabled_plugins")),
                            Map.entry("RABBITMQ_CONFIG_FILE", file("rabbitmq")),
                            Map.entry("RABBITMQ_CONF_ENV_FILE", file("rabbitmq-env.conf")),
                            Map.entry("RABBITMQ_GENERATED_CONFIG_DIR", file("generated")),
                            Map.entry("RABBITMQ_SCHEMA_DIR", file("schema"))));
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private void awaitAnswer() {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        "RabbitMQ ended:\n" + Files.readString(directory.resolve("output.log")));
            }
            return answers(port);
        });
    }

    /** Stops the node in an orderly way. */
    void stop() {
        process.destroy();
        await();
    }

    /**
     * Kills the node, SIGKILL. A queue that was declared shortly before may be lost, with its messages, confirmed or not:
     * RabbitMQ answers a declaration before all of it is in the file of its log of definitions, which is written every two
     * seconds. After {@link #stop} all of it is.
     */
    void kill() {
        List<ProcessHandle> all = process.descendants().toList();
        process.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
        await();
        all.forEach(handle -> handle.onExit().join());
    }

    /** Starts the node again, with the data that it had. */
    void startAgain() {
        process = launch();
        awaitAnswer();
    }

    private void await() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("RabbitMQ does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Stops the node, and the daemon of Erlang that it brought up. */
    @Override
    public void close() {
        if (process.isAlive()) {
            stop();
        }
        ProcessBuilder epmd = new ProcessBuilder("epmd", "-kill").redirectErrorStream(true);
        epmd.redirectOutput(Redirect.DISCARD);
        epmd.environment().put("ERL_EPMD_PORT", "" + epmdPort);
        try {
            int exit = epmd.start().waitFor();
            if (exit != 0) {
                throw new IllegalStateException("epmd at port " + epmdPort + " stays behind");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
