package io.pigeonhole.crash;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.NodeInbox;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publisher;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Messages of an outbox, and all that a relay does with them until nothing is left to do. Retries are due at once. The type of a message
 * says what its broker makes of it.
 */
final class RelayStory {
    static final int ATTEMPTS = 3;
    /** Fewer than a key has messages. */
    static final int BATCH = 3;

    private static final String SCRIPT = "a:good a:failing a:good a:good a:good b:hopeless b:good c:good c:good";
    private static final NodeInbox.Progress UNHEARD = new NodeInbox.Progress() {};

    private RelayStory() {}

    /** A broker, which keeps what it was given whatever becomes of this process. */
    interface Broker {
        void keep(Message message);

        /** Whether it has refused a message before; from now on it has. */
        boolean hasRefused(Message message);
    }

    /** What is sent, in the order in which it is appended: its key and a number. */
    static List<String> payloads() {
        List<String> payloads = new ArrayList<>();
        for (String word : SCRIPT.split(" ", -1)) {
            payloads.add(word.charAt(0) + " " + payloads.size());
        }
        return payloads;
    }

    /** What the broker takes, now or later. */
    static List<String> published() {
        List<String> payloads = new ArrayList<>(payloads());
        payloads.remove(List.of(SCRIPT.split(" ", -1)).indexOf("b:hopeless"));
        return payloads;
    }

    static String payload(Message message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    /** Appends all in one transaction of a handler. */
    static <C extends HandlerContext> void append(InboxStore<C> store, String run) {
        List<OutboxMessage> messages = new ArrayList<>();
        for (String word : SCRIPT.split(" ", -1)) {
            String key = word.substring(0, 1);
            messages.add(OutboxMessage.to(run)
                    .key(key)
                    .type(word.substring(2))
                    .payload(key + " " + messages.size())
                    .build());
        }
        var consumer = store.register(new ConsumerRegistration("appends to " + run, IdForm.TIME_ORDERED));
        Message handled = Message.builder("stories").id(run).payload("").build();
        try (InboxTransaction<C> transaction = store.begin(Duration.ofMinutes(1))) {
            C context = transaction.context(
                    consumer, consumer.keys().keyOf(handled.source(), MessageId.of(run)), handled, 1);
            context.outbox().appendAll(messages);
            transaction.endContexts();
            transaction.flush();
            transaction.commit();
        }
    }

    /** Publishes until nothing is left. */
    static void publish(InboxStore<?> store, String run, CrashPlan plan, Broker broker) {
        Relay relay = Relay.builder(run, store, publisher(plan, broker))
                .batchSize(BATCH)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(ATTEMPTS))
                .build();
        NodeInbox inbox = relay.forNodes();
        WorkStory.await(() -> {
            List<Due> due = relay.backlog().due(List.of(inbox.registered()));
            // Shuffled otherwise: the same points are passed in each process.
            due.stream()
                    .sorted(Comparator.comparing(Due::workPartition))
                    .forEach(each -> inbox.work(each, () -> false, UNHEARD));
            return due.isEmpty();
        });
    }

    private static Publisher publisher(CrashPlan plan, Broker broker) {
        return new Publisher() {
            @Override
            public String name() {
                return "a broker of a story";
            }

            @Override
            public List<Publication> publish(List<Message> messages, Duration timeout) {
                return messages.stream().map(this::publish).toList();
            }

            private Publication publish(Message message) {
                boolean refused = "hopeless".equals(message.type())
                        || ("failing".equals(message.type()) && !broker.hasRefused(message));
                plan.pass(CrashPoint.BEFORE_PUBLISH);
                if (!refused) {
                    broker.keep(message);
                }
                plan.pass(CrashPoint.AFTER_PUBLISH);
                return refused
                        ? new Publication.Refused(new IllegalStateException("refused: " + payload(message)))
                        : Publication.CONFIRMED;
            }
        };
    }
}
