package io.pigeonhole.examples.chain;

import static io.pigeonhole.jackson.JsonPayload.json;

import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.examples.demo.DeliveryLog;
import io.pigeonhole.examples.demo.SqsDeliveryTap;
import io.pigeonhole.http.IdempotencyFilter;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.kafka.KafkaPublisher;
import io.pigeonhole.sqs.SqsSource;
import java.io.IOException;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import software.amazon.awssdk.services.sqs.SqsClient;

/** The first service: takes orders over HTTP, says so over Kafka, and learns over SQS what has been shipped. */
public final class OrdersService {
    private OrdersService() {}

    /**
     * Serves until the standard input ends.
     *
     * @param arguments see {@link ServiceSettings}
     * @throws InterruptedException if somebody interrupts the main thread
     * @throws IOException if a file cannot be written
     */
    public static void main(String[] arguments) throws InterruptedException, IOException {
        ServiceSettings settings = ServiceSettings.of(arguments);
        try (ServiceRuntime runtime = new ServiceRuntime(settings);
                DeliveryLog deliveries = DeliveryLog.append(settings.deliveries(Stage.SHIPPED));
                SqsClient sqs = BrokerClients.sqs(settings.sqs(), new SqsDeliveryTap(deliveries));
                KafkaPublisher publisher = KafkaPublisher.of(
                        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.kafka()), Stage.PLACED.place())) {
            Inbox<JdbcContext> inbox = runtime.inbox("shipments")
                    .handle(Stage.SHIPPED.type(), json(Order.class), OrdersService::noteShipment)
                    .build();
            SqsSource source = SqsSource.builder(inbox, sqs, Stage.SHIPPED.place())
                    .visibilityTimeout(BrokerClients.VISIBILITY)
                    .waitTime(BrokerClients.WAIT)
                    .build();
            IdempotencyFilter filter = IdempotencyFilter.builder(
                            IdempotentRequests.builder(runtime.store().idempotency(), "orders")
                                    .build())
                    .anonymous()
                    .build();
            try (Node node = runtime.node()
                            .source(source)
                            .relay(runtime.relay(Stage.PLACED, publisher))
                            .start();
                    OrdersServer server = new OrdersServer(filter)) {
                settings.publishPort(server.port());
                runtime.runUntilTheEnd(node);
            }
        }
    }

    private static void noteShipment(Order order, JdbcContext context) {
        context.defer(
                "INSERT INTO shipped (message_id, reference, customer, number, amount) VALUES (?, ?, ?, ?, ?)",
                String.valueOf(context.message().id()),
                order.reference(),
                order.customer(),
                order.number(),
                order.amount());
        order.failNowAndThen(context.attempt());
    }
}
