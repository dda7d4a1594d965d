package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publication.Confirmed;
import io.pigeonhole.core.relay.Publication.Refused;
import io.pigeonhole.core.relay.Publication.Unavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** What RabbitMQ does not take, and for whose sake. */
@EnabledIf(
        value = "io.pigeonhole.rabbitmq.RabbitMq#answersOrHasTo",
        disabledReason = "no RabbitMQ answers at port 5672 of this machine")
class RabbitPublisherIT {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int OTHERS = 20;

    private final ConnectionFactory factory = AmqpBroker.factory(RabbitMq.PORT);
    private final String exchange = "pigeonhole-it-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    private final List<AutoCloseable> toClose = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    private AmqpQueue queue(Map<String, Object> arguments) {
        AmqpQueue queue = AmqpQueue.create(factory, "published-" + UUID.randomUUID(), arguments);
        toClose.add(queue);
        return queue;
    }

    private RabbitPublisher publisher(RabbitPublisherBuilder builder) {
        RabbitPublisher publisher = builder.build();
        toClose.add(publisher);
        return publisher;
    }

    private RabbitPublisher publisherTo(AmqpQueue queue) {
        return publisher(RabbitPublisher.builder(factory, "").routingKey(queue.name()));
    }

    private static Message message(Headers headers) {
        return Message.builder("sent")
                .id(MessageIds.next())
                .type("note")
                .headers(headers)
                .payload("x")
                .build();
    }

    private static List<Message> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> message(Headers.none())).toList();
    }

    /** The broker wants a list there, and closes the channel. */
    private static Message withABadHeader() {
        return message(Headers.none().with("CC", "no list"));
    }

    @Test
    void messageForWhichTheBrokerClosesTheChannelIsRefusedAndNoOther() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        List<Message> messages = new ArrayList<>(messages(OTHERS));
        messages.add(OTHERS / 2, withABadHeader());
        messages.add(withABadHeader());
        List<Publication> outcomes = publisherTo(queue).publish(messages, LONG);
        for (int i = 0; i < outcomes.size(); i++) {
            if (i == OTHERS / 2 || i == OTHERS + 1) {
                assertThat(outcomes.get(i))
                        .isInstanceOfSatisfying(
                                Refused.class,
                                refused -> assertThat(refused.cause())
                                        .hasMessageContaining("406")
                                        .hasMessageContaining("CC"));
            } else {
                assertThat(outcomes.get(i)).isInstanceOf(Confirmed.class);
            }
        }
        assertThat(queue.ready()).isGreaterThanOrEqualTo(OTHERS);
    }

    @Test
    void exchangeThatIsNotThereIsUnavailableUntilSomebodyDeclaresIt() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitPublisher publisher =
                publisher(RabbitPublisher.builder(factory, exchange).routingKey("all"));
        assertThat(publisher.publish(messages(3), LONG))
                .hasSize(3)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Unavailable.class,
                                unavailable -> assertThat(unavailable.cause()).hasMessageContaining("404")));
        declare(queue, "all");
        assertThat(publisher.publish(messages(3), LONG)).containsOnly(Publication.CONFIRMED);
        assertThat(queue.ready()).isEqualTo(3);
    }

    private void declare(AmqpQueue queue, String routingKey) {
        queue.ask(channel -> {
            channel.exchangeDeclare(exchange, BuiltinExchangeType.DIRECT, true);
            return channel.queueBind(queue.name(), exchange, routingKey);
        });
        toClose.add(0, () -> queue.ask(channel -> channel.exchangeDelete(exchange)));
    }

    @Test
    void messageWhoseRoutingKeyHasNoQueueIsRefusedAndNoOther() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        declare(queue, "note");
        RabbitPublisher publisher =
                publisher(RabbitPublisher.builder(factory, exchange).routingKey(message -> "" + message.type()));
        List<Message> messages = new ArrayList<>(messages(OTHERS));
        messages.add(
                3,
                Message.builder("sent")
                        .id(MessageIds.next())
                        .type("nobody's")
                        .payload("x")
                        .build());
        List<Publication> outcomes = new ArrayList<>(publisher.publish(messages, LONG));
        assertThat(outcomes.remove(3))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.cause())
                                .isInstanceOf(UnroutableMessageException.class)
                                .hasMessageContaining(exchange)
                                .hasMessageContaining("nobody's")
                                .hasMessageContaining("NO_ROUTE"));
        assertThat(outcomes).hasSize(OTHERS).containsOnly(Publication.CONFIRMED);
        assertThat(queue.ready()).isEqualTo(OTHERS);
    }

    @Test
    void messageThatTheFunctionOfRoutingKeysFailsForIsRefusedAndNoOther() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitPublisher publisher =
                publisher(RabbitPublisher.builder(factory, "").routingKey(message -> {
                    if ("bad".equals(message.type())) {
                        throw new IllegalArgumentException("no routing key for " + message.type());
                    }
                    if ("deep".equals(message.type())) {
                        throw new StackOverflowError();
                    }
                    return queue.name();
                }));
        Message bad = Message.builder("sent")
                .id(MessageIds.next())
                .type("bad")
                .payload("x")
                .build();
        Message deep = Message.builder("sent")
                .id(MessageIds.next())
                .type("deep")
                .payload("x")
                .build();
        assertThat(publisher.publish(List.of(bad, deep, message(Headers.none())), LONG))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Refused.class),
                        second -> assertThat(second).isInstanceOf(Refused.class),
                        third -> assertThat(third).isInstanceOf(Confirmed.class));
    }

    @Test
    void queueThatIsFullIsUnavailableUntilItHasRoom() {
        AmqpQueue queue = queue(Map.of("x-max-length", 2, "x-overflow", "reject-publish"));
        RabbitPublisher publisher = publisherTo(queue);
        assertThat(publisher.publish(messages(2), LONG)).containsOnly(Publication.CONFIRMED);
        assertThat(publisher.publish(messages(3), LONG))
                .hasSize(3)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Unavailable.class,
                                unavailable -> assertThat(unavailable.cause()).hasMessageContaining("basic.nack")));
        queue.ask(channel -> channel.queuePurge(queue.name()));
        assertThat(publisher.publish(messages(2), LONG)).containsOnly(Publication.CONFIRMED);
    }

    @Test
    void wrongPasswordIsUnavailable() {
        ConnectionFactory wrong = factory.clone();
        wrong.setPassword("wrong");
        RabbitPublisher publisher = publisher(RabbitPublisher.builder(wrong, "").routingKey("q"));
        assertThat(publisher.publish(messages(2), LONG))
                .hasSize(2)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Unavailable.class,
                                unavailable -> assertThat(unavailable.cause()).hasMessageContaining("ACCESS_REFUSED")));
    }

    @Test
    void callsOneAfterAnotherShareAChannel() throws Exception {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        List<Connection> connections = new CopyOnWriteArrayList<>();
        RabbitPublisher publisher = publisher(
                RabbitPublisher.builder(factory, "").routingKey(queue.name()).connectionOpener((copy, name) -> {
                    Connection connection = copy.newConnection(name);
                    connections.add(connection);
                    return connection;
                }));
        for (int i = 0; i < 5; i++) {
            assertThat(publisher.publish(messages(3), LONG)).containsOnly(Publication.CONFIRMED);
        }
        assertThat(connections).hasSize(1);
        try (Channel next = connections.get(0).createChannel()) {
            assertThat(next.getChannelNumber()).isEqualTo(2);
        }
    }

    @Test
    void closedPublisherIsUnavailable() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitPublisher publisher = publisherTo(queue);
        assertThat(publisher.publish(messages(1), LONG)).containsOnly(Publication.CONFIRMED);
        publisher.close();
        assertThat(publisher.publish(messages(1), LONG))
                .singleElement()
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        unavailable -> assertThat(unavailable.cause()).hasMessageContaining("closed"));
    }
}
