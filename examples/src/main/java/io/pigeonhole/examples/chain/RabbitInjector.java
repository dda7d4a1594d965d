package io.pigeonhole.examples.chain;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Consumes a queue that gets what the service's queue gets, and publishes messages of it again, to the service's queue only. */
final class RabbitInjector implements Injector {
    private static final long CONFIRM_MILLIS = 30_000;

    private final Connection connection;
    private final Channel publishing;
    private final Duplicates duplicates = new Duplicates();

    RabbitInjector(int port) throws IOException, TimeoutException {
        this.connection = BrokerClients.amqp(port).newConnection("injector");
        this.publishing = connection.createChannel();
        publishing.confirmSelect();
        connection.createChannel().basicConsume(Stage.PAID_COPIES, true, (tag, delivery) -> see(delivery), tag -> {
            // Nobody deletes the queue.
        });
    }

    @Override
    public Duplicates duplicates() {
        return duplicates;
    }

    private void see(Delivery delivery) {
        try {
            duplicates.seen(
                    delivery.getProperties().getMessageId(),
                    Order.of(delivery.getBody()).reference(),
                    () -> publishing.basicPublish(
                            "", Stage.PAID.place(), delivery.getProperties(), delivery.getBody()));
        } catch (Exception e) {
            duplicates.failed(e);
        }
    }

    @Override
    public void finish() throws Exception {
        duplicates.flush();
        publishing.waitForConfirmsOrDie(CONFIRM_MILLIS);
    }

    @Override
    public void close() {
        connection.abort();
    }
}
