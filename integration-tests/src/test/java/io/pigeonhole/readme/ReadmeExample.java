package io.pigeonhole.readme;

import static io.pigeonhole.jackson.JsonPayload.json;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/** The first example of the README: what stands between the marks is compared with it. */
final class ReadmeExample {
    private ReadmeExample() {}

    record Payment(int account, long amount) {}

    @SuppressWarnings("try") // The node is only to be closed.
    static void run(DataSource dataSource, Map<String, Object> consumerConfig, CountDownLatch stopped)
            throws InterruptedException {
        // begin
        var store = JdbcStore.create(dataSource);

        var inbox = Inbox.builder("payments", store)
                .handle(
                        "payment.requested",
                        json(Payment.class),
                        (payment, context) -> context.defer(
                                "UPDATE account SET balance = balance + ? WHERE id = ?",
                                payment.amount(),
                                payment.account()))
                .build();

        try (var node = Node.builder(store)
                .source(KafkaSource.of(inbox, consumerConfig, "payments"))
                .start()) {
            stopped.await();
        }
        // end
    }
}
