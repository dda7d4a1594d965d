package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Recoverable;
import com.rabbitmq.client.SocketConfigurator;
import io.pigeonhole.core.failure.ConfigurationException;
import java.io.IOException;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The connection that the threads of a publisher share. It is opened by a thread of its own, so that nobody waits for it longer than
 * he has time; what is opened too late the next call uses. Safe for use by many threads.
 */
final class SharedConnection {
    private static final int RPC_TIMEOUT_MILLIS = 10_000;
    private static final int ABORT_MILLIS = 1_000;

    private final ConnectionFactory factory;
    private final ConnectionOpener opener;
    private final String name;
    private @Nullable CompletableFuture<PublishingConnection> current;
    private boolean closed;

    SharedConnection(ConnectionFactory factory, ConnectionOpener opener, String name) {
        this.factory = ConnectionFactories.withoutRecovery(factory);
        this.factory.setChannelRpcTimeout(RPC_TIMEOUT_MILLIS);
        this.opener = opener;
        this.name = name;
    }

    /**
     * The connection, which is opened where there is none.
     *
     * @throws ExecutionException with what it could not be opened with
     */
    PublishingConnection get(long nanos) throws InterruptedException, ExecutionException, TimeoutException {
        try {
            return current().get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw (TimeoutException) new TimeoutException("no connection within the time for publishing").initCause(e);
        }
    }

    private synchronized CompletableFuture<PublishingConnection> current() {
        if (closed) {
            throw new IllegalStateException("the publisher is closed; make another one");
        }
        CompletableFuture<PublishingConnection> last = current;
        if (last != null && (!last.isDone() || isOpen(last))) {
            return last;
        }
        CompletableFuture<PublishingConnection> next = CompletableFuture.supplyAsync(this::open, task -> {
            Thread thread = new Thread(task, "pigeonhole-rabbitmq-publisher-open");
            thread.setDaemon(true);
            thread.start();
        });
        current = next;
        return next;
    }

    private static boolean isOpen(CompletableFuture<PublishingConnection> done) {
        return !done.isCompletedExceptionally() && done.join().isOpen();
    }

    private PublishingConnection open() {
        Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
        ConnectionFactory noting = factory.clone();
        SocketConfigurator given = factory.getSocketConfigurator();
        noting.setSocketConfigurator(socket -> {
            given.configure(socket);
            sockets.add(socket);
        });
        try {
            Connection connection = opener.open(noting, name);
            if (connection instanceof Recoverable) {
                connection.abort(ABORT_MILLIS);
                throw new ConfigurationException(name
                        + ": the connection opener gave a connection that recovers by itself; open it with the factory"
                        + " that it is handed");
            }
            PublishingConnection opened = new PublishingConnection(connection, sockets);
            if (isClosed()) {
                opened.cut();
            }
            return opened;
        } catch (IOException | TimeoutException e) {
            throw new CompletionException(e);
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** No connection is opened any more. */
    void close() {
        CompletableFuture<PublishingConnection> last;
        synchronized (this) {
            closed = true;
            last = current;
        }
        if (last != null) {
            // One that is still being opened is closed when it is there.
            var unused = last.thenAccept(PublishingConnection::cut);
        }
    }
}
