package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.net.Socket;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open connection of a publisher, and its channels that nobody uses at the moment. Safe for use by many threads. */
final class PublishingConnection {
    private static final Logger log = LoggerFactory.getLogger(PublishingConnection.class);
    private static final int ABORT_MILLIS = 1_000;

    private final Connection connection;
    private final Collection<Socket> sockets;
    private final Queue<ConfirmChannel> idle = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean cut = new AtomicBoolean();
    private volatile @Nullable String blocked;

    /**
     * Takes over a connection.
     *
     * @param sockets those that were opened for it, as far as they are known
     */
    PublishingConnection(Connection connection, Collection<Socket> sockets) {
        this.connection = connection;
        this.sockets = sockets;
        connection.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
    }

    boolean isOpen() {
        return connection.isOpen() && !cut.get();
    }

    /** Why the broker reads nothing of its publishers for now, such as for want of memory; null where it does. */
    @Nullable
    String blocked() {
        return blocked;
    }

    /** A channel for one call. */
    ConfirmChannel channel() throws IOException {
        for (ConfirmChannel channel = idle.poll(); channel != null; channel = idle.poll()) {
            if (channel.isIdle()) {
                return channel;
            }
        }
        return ConfirmChannel.open(connection);
    }

    /** Gives a channel back; one that the broker has closed is forgotten. */
    void release(ConfirmChannel channel) {
        if (channel.isIdle()) {
            idle.add(channel);
        }
    }

    /**
     * Ends the connection without a word, so that nothing of it is sent any more, and whoever is writing to it or waiting for it goes on.
     * Its own way of closing would wait for both.
     */
    void cut() {
        if (cut.compareAndSet(false, true)) {
            sockets.forEach(PublishingConnection::reset);
            Thread aborting = new Thread(() -> connection.abort(ABORT_MILLIS), "pigeonhole-rabbitmq-publisher-abort");
            aborting.setDaemon(true);
            aborting.start();
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            log.debug("a socket could not be closed", e);
        }
    }
}
