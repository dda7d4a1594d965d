package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/**
 * Opens the connections of a source, one for each of its queues. Safe for use by many threads. For the nodes of a cluster, and for instrumentation: an opener may wrap the connection
 * that it opens.
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
     * it opens then is closed at once.
     *
     * @param factory a copy of the factory that the source was given, without automatic recovery and without a
     *     timeout of requests ({@code channelRpcTimeout}); not to be changed
     * @param name what the broker is to call the connection
     * @return a connection for this queue of this source alone, which closes it; one that recovers by itself is refused
     * @throws IOException if it cannot be opened; the source tries again, less and less often if the credentials were refused.
     *     It does so after a {@code RuntimeException} too, except for a
     *     {@link io.pigeonhole.core.failure.ConfigurationException}, which gives the queue up
     * @throws TimeoutException if it cannot be opened in time; the source tries again
     */
    Connection open(ConnectionFactory factory, String name) throws IOException, TimeoutException;
}
