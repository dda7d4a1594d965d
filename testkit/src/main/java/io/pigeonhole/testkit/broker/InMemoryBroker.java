package io.pigeonhole.testkit.broker;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A broker in memory that delivers at least once: what is not acknowledged it delivers again, and after {@link #cut} also
 * what was. Each queue is shared by the sources that take from it. Safe for use by many threads; nothing of it outlives the
 * process.
 *
 * <pre>{@code
 * InMemoryBroker broker = InMemoryBroker.create();
 * broker.send("payments", message);
 * try (Node node = Node.builder(store).source(broker.source(inbox, "payments")).start()) { … }
 * }</pre>
 */
public final class InMemoryBroker {
    private final Map<String, InMemoryQueue> queues = new ConcurrentHashMap<>();

    private InMemoryBroker() {}

    /**
     * Makes a broker.
     *
     * @return one without queues
     */
    public static InMemoryBroker create() {
        return new InMemoryBroker();
    }

    /**
     * Sends messages, in their order.
     *
     * @param queue the name of a queue, which is made where there is none
     * @param messages the messages; they are delivered with the queue's name as their source
     */
    public void send(String queue, List<Message> messages) {
        messages.forEach(queue(queue)::add);
    }

    /**
     * Sends a message.
     *
     * @param queue the name of a queue, which is made where there is none
     * @param message the message; it is delivered with the queue's name as its source
     */
    public void send(String queue, Message message) {
        send(queue, List.of(message));
    }

    /**
     * Makes a source with the standard settings.
     *
     * @param inbox where it brings the messages
     * @param queue the name of a queue, which is made where there is none
     * @return a source, to be started by a {@link io.pigeonhole.core.node.Node}
     */
    public Source source(Inbox<?> inbox, String queue) {
        return new InMemorySource(inbox, queue(queue), DeliverySettings.standard());
    }

    /**
     * Makes a publisher.
     *
     * @param queue the name of a queue, which is made where there is none
     * @return a publisher that takes everything, until it is told otherwise
     */
    public InMemoryPublisher publisher(String queue) {
        return new InMemoryPublisher(queue(queue));
    }

    /**
     * How many messages of a queue are not acknowledged, whether they were delivered or not.
     *
     * @param queue the name of a queue
     * @return 0 for none
     */
    public int unacknowledged(String queue) {
        return queue(queue).size();
    }

    /**
     * Drops which messages are with which source, as a broker does that loses its connections: all that is not
     * acknowledged is delivered again, and acknowledgements of earlier deliveries count for nothing.
     */
    public void cut() {
        queues.values().forEach(InMemoryQueue::takeBack);
    }

    private InMemoryQueue queue(String name) {
        return queues.computeIfAbsent(name, InMemoryQueue::new);
    }
}
