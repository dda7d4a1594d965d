package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/**
 * Opens the connections of a source. For the nodes of a cluster, and for instrumentation: an opener may wrap the connection
 * that it opens.
 *
 * <pre>{@code
 * builder.connectionOpener((factory, name) -> factory.newConnection(addresses, name))
 * }</pre>
 */
@FunctionalInterface
public interface ConnectionOpener {
    /**
     * Opens a connection. Called by one thread at a time, again after each loss of a connection.
     *
     * @param factory a copy of the factory that the source was given, without automatic recovery; not to be changed
     * @param name what the broker is to call the connection
     * @return a connection for this source alone, which closes it; one that recovers by itself is refused
     * @throws IOException if it cannot be opened; the source tries again, unless the credentials were refused. It does so after
     *     a {@code RuntimeException} too, except for a {@link io.pigeonhole.core.failure.ConfigurationException}
     * @throws TimeoutException if it cannot be opened in time; the source tries again
     */
    Connection open(ConnectionFactory factory, String name) throws IOException, TimeoutException;
}
