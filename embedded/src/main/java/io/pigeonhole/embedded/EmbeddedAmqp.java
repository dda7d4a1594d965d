package io.pigeonhole.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.qpid.server.SystemLauncher;

/**
 * One AMQP 0-9-1 broker (Apache Qpid Broker-J) inside this JVM, on the loopback interface, with one user and one virtual
 * host, the default one. Its messages are in memory and end with it. Safe for use by many threads.
 *
 * <p>It stands in for RabbitMQ where that is not installed, and is not the same: it has no quorum queues and no delivery
 * counts, refuses arguments of queues that it does not know, does not notify consumers that their queue was deleted, and
 * ignores what RabbitMQ closes a channel for, such as a second acknowledgement.
 */
public final class EmbeddedAmqp implements AutoCloseable {
    /** The name of the user. */
    public static final String USER = "guest";
    /** The password of the user. */
    public static final String PASSWORD = "guest";

    private static final int START_ATTEMPTS = 3;
    private static final String CONFIGURATION = """
            {
              "name": "embedded",
              "modelVersion": "8.0",
              "authenticationproviders": [{
                "name": "plain",
                "type": "Plain",
                "secureOnlyMechanisms": "[]",
                "users": [{"name": "%s", "type": "managed", "password": "%s"}]
              }],
              "ports": [{
                "name": "AMQP",
                "port": "%d",
                "bindingAddress": "127.0.0.1",
                "authenticationProvider": "plain",
                "protocols": ["AMQP_0_9_1"],
                "virtualhostaliases": [{"name": "defaultAlias", "type": "defaultAlias"}]
              }],
              "virtualhostnodes": [{
                "name": "default",
                "type": "Memory",
                "defaultVirtualHostNode": "true",
                "virtualHostInitialConfiguration": "{\\"type\\": \\"Memory\\"}"
              }]
            }
            """;

    private final SystemLauncher broker;
    private final int port;

    private EmbeddedAmqp(SystemLauncher broker, int port) {
        this.broker = broker;
        this.port = port;
    }

    /**
     * Starts a broker on a free port.
     *
     * @param directory where the broker keeps its files; made if it is not there
     * @return the running broker
     * @throws IllegalStateException if it does not start
     */
    public static EmbeddedAmqp start(Path directory) {
        for (int attempt = 1; ; attempt++) {
            int port = freePort();
            SystemLauncher broker = new SystemLauncher();
            try {
                Files.createDirectories(directory);
                Path configuration = Files.writeString(
                        directory.resolve("broker.json"), CONFIGURATION.formatted(USER, PASSWORD, port));
                broker.startup(Map.of(
                        "type",
                        "Memory",
                        "initialConfigurationLocation",
                        configuration.toUri().toString(),
                        "startupLoggedToSystemOut",
                        "false",
                        "context",
                        Map.of("qpid.work_dir", directory.toAbsolutePath().toString())));
                return new EmbeddedAmqp(broker, port);
            } catch (Exception e) {
                broker.shutdown();
                // Between the search for a port and its use, somebody else may take it.
                if (attempt == START_ATTEMPTS) {
                    throw new IllegalStateException("the AMQP broker did not start in " + directory, e);
                }
            }
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Where clients connect to.
     *
     * @return the port on the loopback interface
     */
    public int port() {
        return port;
    }

    /** Stops the broker, which loses its messages. */
    @Override
    public void close() {
        broker.shutdown();
    }
}
