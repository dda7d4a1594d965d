package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/**
 * Opens the connections of a source, one for each of its queues, or that of a publisher. Safe for use by many threads. For the
 * nodes of a cluster, and for instrumentation: an opener may wrap the connection that it opens.
 *
 * <pre>{@code
 * builder.connectionOpener((factory, name) -> factory.newConnection(addresses, name))
 * }</pre>
 */
@FunctionalInterface
public interface ConnectionOpener {
    /**
     * Opens a connection. Called for each queue of the source, by a thread of the queue's own and so by several at a time, and
     * again after each loss of a connection. A source that is closed meanwhile interrupts the thread and does not wait for it; what
     * it opens then is closed at once. A publisher has one connection at a time, which is opened by a thread of its own.
     *
     * @param factory a copy of the factory that the source or the publisher was given, without automatic recovery and with another
     *     timeout of requests ({@code channelRpcTimeout}), none for a source; not to be changed
     * @param name what the broker is to call the connection
     * @return a connection for this queue or publisher alone, which closes it; one that recovers by itself is refused
     * @throws IOException if it cannot be opened; the source tries again, less and less often if the credentials were refused, and a publisher at the next message.
     *     It does so after a {@code RuntimeException} too, except for a
     *     {@link io.pigeonhole.core.failure.ConfigurationException}, which gives the queue up
     * @throws TimeoutException if it cannot be opened in time; the source tries again
     */
    Connection open(ConnectionFactory factory, String name) throws IOException, TimeoutException;
}
