package io.pigeonhole.examples.chain;

import io.pigeonhole.core.node.Node;
import io.pigeonhole.rabbitmq.RabbitPublisher;

/** The relay of {@link PaymentsService}, in a process of its own: it is killed while the service lives, and the other way round. */
public final class PaymentsRelay {
    private PaymentsRelay() {}

    /**
     * Publishes until the standard input ends.
     *
     * @param arguments see {@link ServiceSettings}
     * @throws InterruptedException if somebody interrupts the main thread
     */
    public static void main(String[] arguments) throws InterruptedException {
        ServiceSettings settings = ServiceSettings.of(arguments);
        try (ServiceRuntime runtime = new ServiceRuntime(settings);
                RabbitPublisher publisher =
                        RabbitPublisher.of(BrokerClients.amqp(settings.amqpPort()), Stage.PAID.place(), "")) {
            try (Node node =
                    runtime.node().relay(runtime.relay(Stage.PAID, publisher)).start()) {
                runtime.runUntilTheEnd(node);
            }
        }
    }
}
