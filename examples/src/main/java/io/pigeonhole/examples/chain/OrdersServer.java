package io.pigeonhole.examples.chain;

import io.pigeonhole.http.IdempotencyFilter;
import jakarta.servlet.DispatcherType;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A Jetty with {@link OrdersServlet} behind the filter that looks at idempotency keys. */
final class OrdersServer implements AutoCloseable {
    static final String PATH = "/orders";

    private static final int THREADS = 24;

    private final Server server;
    private final ServerConnector connector;

    OrdersServer(IdempotencyFilter filter) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS);
        threads.setDaemon(true);
        server = new Server(threads);
        connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(OrdersServlet.class, PATH);
        context.addFilter(new FilterHolder(filter), PATH, EnumSet.of(DispatcherType.REQUEST));
        server.setHandler(context);
        try {
            server.start();
        } catch (Exception e) {
            throw new IllegalStateException("Jetty does not start", e);
        }
    }

    int port() {
        return connector.getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("Jetty does not stop", e);
        }
    }
}
