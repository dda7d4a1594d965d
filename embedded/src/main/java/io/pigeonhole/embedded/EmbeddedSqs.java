package io.pigeonhole.embedded;

import java.net.URI;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;

/**
 * An SQS server (ElasticMQ) inside this JVM, on the loopback interface, with empty memory. It writes no files. Unlike SQS, it
 * refuses to delete a message twice.
 */
public final class EmbeddedSqs implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final SQSRestServer server;
    private final int port;

    private EmbeddedSqs(SQSRestServer server, int port) {
        this.server = server;
        this.port = port;
    }

    /**
     * Starts a server without queues on a free port.
     *
     * @return the running server, to be closed by the caller
     */
    public static EmbeddedSqs start() {
        SQSRestServer server =
                SQSRestServerBuilder.withInterface(HOST).withDynamicPort().start();
        return new EmbeddedSqs(server, server.waitUntilStarted().localAddress().getPort());
    }

    /**
     * Where clients connect to. Any region and any credentials do.
     *
     * @return the endpoint
     */
    public URI endpoint() {
        return URI.create("http://" + HOST + ":" + port);
    }

    /**
     * The port that the server listens on.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /** Stops the server; its queues are gone. */
    @Override
    public void close() {
        server.stopAndWait();
    }
}
