package io.pigeonhole.examples;

import static io.pigeonhole.jackson.JsonPayload.json;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/** The README's first example, word for word: a test compares the two and runs this one. */
final class QuickStart {
    private QuickStart() {}

    /** What the messages say, in cents. */
    record Payment(long account, long amount) {}

    @SuppressWarnings("try") // the node works by itself until it is closed
    static void run(DataSource dataSource, Map<String, Object> consumerConfig, CountDownLatch stopped)
            throws InterruptedException {
        // README: begin
        var store = JdbcStore.create(dataSource);

        var inbox = Inbox.builder("payments", store)
                .handle(
                        "payment.requested",
                        json(Payment.class),
                        (payment, context) -> context.deferExpecting(
                                1,
                                "UPDATE account SET balance = balance + ? WHERE id = ?",
                                payment.amount(),
                                payment.account()))
                .build();

        try (var node = Node.builder(store)
                .source(KafkaSource.of(inbox, consumerConfig, "payments"))
                .start()) {
            stopped.await();
        }
        // README: end
    }
}
