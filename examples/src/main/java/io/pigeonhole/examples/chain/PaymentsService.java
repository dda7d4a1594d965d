package io.pigeonhole.examples.chain;

import static io.pigeonhole.jackson.JsonPayload.json;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.examples.demo.DeliveryTap;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.kafka.KafkaSource;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * The second service: takes placed orders from Kafka, books a payment, and appends that it is paid. What it appends is published by
 * {@link PaymentsRelay}, in a process of its own.
 */
public final class PaymentsService {
    static final String CONSUMER = "payments";

    private PaymentsService() {}

    /**
     * Serves until the standard input ends.
     *
     * @param arguments see {@link ServiceSettings}
     * @throws InterruptedException if somebody interrupts the main thread
     */
    public static void main(String[] arguments) throws InterruptedException {
        ServiceSettings settings = ServiceSettings.of(arguments);
        try (ServiceRuntime runtime = new ServiceRuntime(settings)) {
            Inbox<JdbcContext> inbox = runtime.inbox(CONSUMER)
                    .handle(Stage.PLACED.type(), json(Order.class), PaymentsService::pay)
                    .build();
            KafkaSource source = KafkaSource.of(inbox, consumerConfig(settings), Stage.PLACED.place());
            try (Node node = runtime.node().source(source).start()) {
                runtime.runUntilTheEnd(node);
            }
        }
    }

    private static void pay(Order order, JdbcContext context) {
        context.defer(
                "INSERT INTO payment (message_id, reference, customer, number, amount) VALUES (?, ?, ?, ?, ?)",
                String.valueOf(context.message().id()),
                order.reference(),
                order.customer(),
                order.number(),
                order.amount());
        context.outbox().append(order.to(Stage.PAID));
        order.failNowAndThen(context.attempt());
    }

    private static Map<String, Object> consumerConfig(ServiceSettings settings) {
        return Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                settings.kafka(),
                ConsumerConfig.GROUP_ID_CONFIG,
                CONSUMER,
                // A name of its own: when it comes back after a kill it takes its partitions at once.
                ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                "payments-service",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
                DeliveryTap.class.getName(),
                DeliveryTap.FILE,
                settings.deliveries(Stage.PLACED).toString());
    }
}
