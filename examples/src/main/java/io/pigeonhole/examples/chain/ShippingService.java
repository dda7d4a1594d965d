package io.pigeonhole.examples.chain;

import static io.pigeonhole.jackson.JsonPayload.json;

import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.examples.demo.DeliveryLog;
import io.pigeonhole.examples.demo.RabbitDeliveryTap;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.rabbitmq.RabbitSource;
import io.pigeonhole.sqs.SqsPublisher;
import java.io.IOException;
import software.amazon.awssdk.services.sqs.SqsClient;

/** The third service: takes paid orders from RabbitMQ, ships them, and says so over SQS. */
public final class ShippingService {
    private ShippingService() {}

    /**
     * Serves until the standard input ends.
     *
     * @param arguments see {@link ServiceSettings}
     * @throws InterruptedException if somebody interrupts the main thread
     * @throws IOException if the log of deliveries cannot be closed
     */
    public static void main(String[] arguments) throws InterruptedException, IOException {
        ServiceSettings settings = ServiceSettings.of(arguments);
        try (ServiceRuntime runtime = new ServiceRuntime(settings);
                DeliveryLog deliveries = DeliveryLog.append(settings.deliveries(Stage.PAID));
                SqsClient sqs = BrokerClients.sqs(settings.sqs(), null);
                SqsPublisher publisher = SqsPublisher.of(sqs, Stage.SHIPPED.place())) {
            Inbox<JdbcContext> inbox = runtime.inbox("shipping")
                    .handle(Stage.PAID.type(), json(Order.class), ShippingService::ship)
                    .build();
            ConnectionFactory amqp = BrokerClients.amqp(settings.amqpPort());
            amqp.setMetricsCollector(new RabbitDeliveryTap(deliveries));
            RabbitSource source = RabbitSource.of(inbox, amqp, Stage.PAID.place());
            try (Node node = runtime.node()
                    .source(source)
                    .relay(runtime.relay(Stage.SHIPPED, publisher))
                    .start()) {
                runtime.runUntilTheEnd(node);
            }
        }
    }

    private static void ship(Order order, JdbcContext context) {
        context.defer(
                "INSERT INTO shipment (message_id, reference, customer, number, amount) VALUES (?, ?, ?, ?, ?)",
                String.valueOf(context.message().id()),
                order.reference(),
                order.customer(),
                order.number(),
                order.amount());
        context.outbox().append(order.to(Stage.SHIPPED));
        order.failNowAndThen(context.attempt());
    }
}
