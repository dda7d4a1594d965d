package io.pigeonhole.examples.demo;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.NoOpMetricsCollector;

/** Writes down every message that a broker hands to RabbitMQ's client, before anything else sees it. */
public final class RabbitDeliveryTap extends NoOpMetricsCollector {
    private final DeliveryLog log;

    /**
     * A tap for a connection factory.
     *
     * @param log gets a line for each message
     */
    public RabbitDeliveryTap(DeliveryLog log) {
        this.log = log;
    }

    @Override
    public void consumedMessage(Channel channel, long deliveryTag, String consumerTag) {
        log.write("-\n");
    }
}
