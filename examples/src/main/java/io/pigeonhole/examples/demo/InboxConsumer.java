package io.pigeonhole.examples.demo;

import static io.pigeonhole.jackson.JsonPayload.json;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.io.IOException;

/**
 * The consumer with Pigeonhole: the same two writes as {@link PlainConsumer}, in an inbox. However often a payment comes
 * and whenever the process dies, it is paid once.
 */
public final class InboxConsumer {
    /** One connection for each of the source's delivery threads, and some for what runs beside them. */
    private static final int CONNECTIONS = 6;

    private InboxConsumer() {}

    /**
     * Consumes until the standard input ends.
     *
     * @param arguments see {@link ConsumerSettings}
     * @throws IOException if the log of duplicates cannot be closed
     * @throws InterruptedException if somebody interrupts the main thread
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        ParentWatch parent = ParentWatch.start();
        ConsumerSettings settings = ConsumerSettings.of(arguments);
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(settings.databaseUrl());
        pool.setMaximumPoolSize(CONNECTIONS);
        try (DeliveryLog duplicates = DeliveryLog.append(settings.duplicates());
                HikariDataSource database = new HikariDataSource(pool)) {
            JdbcStore store = JdbcStore.create(database);
            Inbox<JdbcContext> inbox = Inbox.builder(ConsumerSettings.CONSUMER, store)
                    .handle(PaymentProducer.TYPE, json(Payment.class), InboxConsumer::pay)
                    .listener(new DuplicateCounter(duplicates))
                    .build();
            Source source = settings.broker().source(inbox, settings);
            try (Node node = Node.builder(store).source(source).start()) {
                while (!parent.isOverWithin(1) && node.failure() == null) {
                    // The node works, this thread only waits.
                }
                Throwable failure = node.failure();
                if (failure != null) {
                    throw new IllegalStateException("the source has given up", failure);
                }
            }
        }
    }

    private static void pay(Payment payment, JdbcContext context) {
        if (payment.amount() <= 0) {
            throw new PermanentFailure("a payment of " + payment.amount() + " cents");
        }
        context.deferExpecting(
                1, "UPDATE account SET balance = balance + ? WHERE id = ?", payment.amount(), payment.account());
        context.defer(
                "INSERT INTO effect (message_id, account, amount) VALUES (?, ?, ?)",
                String.valueOf(context.message().id()),
                payment.account(),
                payment.amount());
    }

    /** For the progress only: the audit does not look at what the inbox says of itself. */
    private record DuplicateCounter(DeliveryLog duplicates) implements InboxListener {
        @Override
        public void onOutcome(String consumer, Message message, Outcome outcome) {
            if (outcome.kind() == Outcome.Kind.DUPLICATE) {
                duplicates.write(message.id() + "\n");
            }
        }
    }
}
