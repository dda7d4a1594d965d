package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;

/** Opens channels. */
final class Channels {
    private Channels() {}

    /**
     * Opens one.
     *
     * @throws IOException also where the connection has as many as the broker allows
     */
    static Channel open(Connection connection) throws IOException {
        Channel channel = connection.createChannel();
        if (channel == null) {
            throw new IOException("the connection has no channel left");
        }
        return channel;
    }
}
