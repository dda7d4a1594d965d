package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publisher;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages to an exchange of RabbitMQ, persistent, and waits for the broker's confirmation of each. {@code docs/rabbitmq.md} has
 * the mapping, which is that of {@link RabbitSource}.
 *
 * <p>A message that no queue takes is refused ({@link UnroutableMessageException}), and so is one for which the broker closes the channel,
 * such as for its size: it is found by publishing one by one what was under way. Where the broker is away or has blocked its publishers, the
 * exchange is not there, a right is missing, or a full queue rejects what is published, messages are unavailable. Where they are not
 * confirmed in time, or the thread is interrupted, the connection is cut, so that nothing is sent later; what other threads have under
 * way on it is unavailable then, too.
 *
 * <p>Safe for use by many threads, which share one connection, each with a channel of its own. If the process dies, what was not
 * confirmed may be in the queues or not.
 */
public final class RabbitPublisher implements Publisher, AutoCloseable {
    private final String name;
    private final OutgoingMapper mapper;
    private final SharedConnection connections;
    private final ScheduledThreadPoolExecutor watch;

    RabbitPublisher(String name, OutgoingMapper mapper, SharedConnection connections) {
        this.name = name;
        this.mapper = mapper;
        this.connections = connections;
        this.watch = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "pigeonhole-rabbitmq-publisher-watch");
            thread.setDaemon(true);
            return thread;
        });
        watch.setRemoveOnCancelPolicy(true);
    }

    /**
     * A publisher with the standard settings.
     *
     * @param connectionFactory how to connect; copied when the publisher is made
     * @param exchange where the messages go; empty for the default exchange, whose routing keys are the names of queues
     * @param routingKey the routing key of all messages
     * @return a publisher that has not connected yet, to be closed by the caller behind the node
     * @throws ConfigurationException if settings are wrong
     */
    public static RabbitPublisher of(ConnectionFactory connectionFactory, String exchange, String routingKey) {
        return builder(connectionFactory, exchange).routingKey(routingKey).build();
    }

    /**
     * Begins a publisher.
     *
     * @param connectionFactory how to connect; copied when the publisher is made
     * @param exchange where the messages go; empty for the default exchange, whose routing keys are the names of queues
     * @return a builder with the standard settings
     */
    public static RabbitPublisherBuilder builder(ConnectionFactory connectionFactory, String exchange) {
        return new RabbitPublisherBuilder(connectionFactory, exchange);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Publication> publish(List<Message> messages, Duration timeout) {
        long until = System.nanoTime() + timeout.toNanos();
        Map<Integer, Publication> outcomes = new HashMap<>();
        Map<Integer, OutgoingMessage> outgoing = new LinkedHashMap<>();
        for (int i = 0; i < messages.size(); i++) {
            try {
                outgoing.put(i, mapper.map(messages.get(i)));
            } catch (OutOfMemoryError | LinkageError e) {
                // It concerns all of them.
                throw e;
            } catch (Throwable e) {
                // Of the message, or of the function that finds its routing key.
                outcomes.put(i, new Publication.Refused(e));
            }
        }
        outcomes.putAll(publish(outgoing, until));
        outgoing.keySet().removeAll(outcomes.keySet());
        // The broker has closed the channel for one of them; alone, each shows whether it is the one.
        outgoing.forEach((index, message) -> outcomes.putAll(publish(Map.of(index, message), until)));
        return IntStream.range(0, messages.size())
                .mapToObj(i -> Objects.requireNonNull(outcomes.get(i)))
                .toList();
    }

    /** What became of messages; those are left out of which one, nobody knows which, has made the broker close the channel. */
    private Map<Integer, Publication> publish(Map<Integer, OutgoingMessage> outgoing, long until) {
        if (outgoing.isEmpty()) {
            return Map.of();
        }
        List<Integer> indexes = List.copyOf(outgoing.keySet());
        List<@Nullable Publication> published = publish(List.copyOf(outgoing.values()), until);
        Map<Integer, Publication> outcomes = new HashMap<>();
        for (int i = 0; i < indexes.size(); i++) {
            Publication outcome = published.get(i);
            if (outcome != null) {
                outcomes.put(indexes.get(i), outcome);
            }
        }
        return outcomes;
    }

    private List<@Nullable Publication> publish(List<OutgoingMessage> messages, long until) {
        try {
            PublishingConnection connection = connections.get(until - System.nanoTime());
            String blocked = connection.blocked();
            return blocked == null
                    ? publish(connection, messages, until)
                    : unavailable(messages, new IOException("the broker has blocked its publishers: " + blocked));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unavailable(messages, e);
        } catch (ExecutionException e) {
            return unavailable(messages, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException | RuntimeException e) {
            return unavailable(messages, e);
        }
    }

    /** The client may wait longer than there is time, to write or for an answer; cutting the connection ends that. */
    private List<@Nullable Publication> publish(
            PublishingConnection connection, List<OutgoingMessage> messages, long until) {
        Future<?> cutting =
                watch.schedule(connection::cut, Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
        try {
            ConfirmChannel channel = connection.channel();
            List<@Nullable Publication> outcomes = channel.publish(messages, until);
            if (channel.isUnderWay()) {
                connection.cut();
            }
            connection.release(channel);
            return outcomes;
        } catch (IOException e) {
            connection.cut();
            return unavailable(messages, e);
        } finally {
            cutting.cancel(false);
        }
    }

    private static List<@Nullable Publication> unavailable(List<OutgoingMessage> messages, Throwable cause) {
        return Collections.nCopies(messages.size(), new Publication.Unavailable(cause));
    }

    /** Cuts the connection. What is being published is unavailable, and so is what anybody wants to publish later. */
    @Override
    public void close() {
        connections.close();
        watch.shutdownNow();
    }
}
