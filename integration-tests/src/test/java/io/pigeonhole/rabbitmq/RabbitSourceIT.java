package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.impl.DefaultCredentialsProvider;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.memory.InMemoryContext;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The source against the RabbitMQ of this machine: what any broker does, and what only RabbitMQ does. */
@EnabledIf(
        value = "io.pigeonhole.rabbitmq.RabbitMq#answersOrHasTo",
        disabledReason = "no RabbitMQ answers at port 5672 of this machine")
class RabbitSourceIT extends RabbitSourceTests {
    @Override
    int port() {
        return RabbitMq.PORT;
    }

    @Test
    @Tag("E5")
    void wrongPasswordIsToldAndTriedAgainUntilItIsRight() {
        AtomicReference<String> password = new AtomicReference<>("wrong");
        ConnectionFactory changing = factory();
        changing.setCredentialsProvider(new DefaultCredentialsProvider("guest", "") {
            @Override
            public String getPassword() {
                return Objects.requireNonNull(password.get());
            }
        });
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 5));
        RabbitSource source = start(inbox(), changing, queue, builder -> builder);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(source.problems())
                        .singleElement()
                        .asString()
                        .contains(queue.name())
                        .containsIgnoringCase("refused"));
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
        assertThat(source.failure()).isNull();
        password.set("guest");
        awaitEffects(5);
        assertEachOnce(5);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Test
    void onlyWhatThePrefetchAllowsIsTakenWhileTheDatabaseIsAway() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitSource source = start(inbox(), queue, builder -> builder.prefetch(30));
        // It begins with one message, and takes more by one wider consumer in place of another.
        queue.send(messages(0, 100));
        awaitEffects(100);
        await().atMost(PATIENCE).until(() -> watched.channels().get(0).prefetch() == 30 && queue.consumers() == 1);
        store.available(false);
        queue.send(messages(100, 200));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        await().during(Duration.ofMillis(300)).atMost(PATIENCE).until(() -> queue.ready() == 70);
        store.available(true);
        awaitEffects(200);
        assertEachOnce(200);
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
        assertThat(store.parked(consumer)).isEmpty();
        assertNothingComesBack(source, queue);
    }

    @Test
    @Tag("E1")
    void nothingIsTakenBeforeTheDatabaseIsThere() {
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        queue.send(messages(0, 100));
        Inbox<InMemoryContext> inbox = inbox();
        store.available(false);
        RabbitSource source = start(inbox, queue, builder -> builder);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        assertThat(queue.ready()).isEqualTo(100);
        store.available(true);
        awaitEffects(100);
        assertEachOnce(100);
        assertThat(received).extracting(Message::deliveries).containsOnly(0);
    }

    @Test
    void queueThatIsDeletedAndMadeAgainIsConsumedAgain() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitSource source = start(inbox(), queue, builder -> builder);
        queue.send(messages(0, 5));
        awaitEffects(5);
        queue.delete();
        await().atMost(PATIENCE)
                .until(() -> !watched.channels().get(0).closings().isEmpty());
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_BROKER);
        queue.declare();
        queue.send(messages(3, 10));
        awaitEffects(10);
        assertEachOnce(10);
        assertThat(source.failure()).isNull();
        assertNothingComesBack(source, queue);
    }

    @Test
    @Tag("E5")
    void queueThatSomebodyElseConsumesAloneIsConsumedWhenItIsFree() throws Exception {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitSource source;
        try (Connection other = AmqpBroker.factory(port()).newConnection();
                Channel channel = other.createChannel()) {
            channel.basicConsume(queue.name(), false, "", false, true, Map.of(), new DefaultConsumer(channel));
            source = start(inbox(), queue, builder -> builder);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(source.problems())
                            .singleElement()
                            .asString()
                            .contains("403 ACCESS_REFUSED")
                            .contains(queue.name()));
            assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
        }
        queue.send(messages(0, 5));
        awaitEffects(5);
        assertThat(source.failure()).isNull();
    }

    @Test
    void messageOfAQuorumQueueThatIsDeliveredAgainAndAgainWhileItIsInWorkTakesEffectOnce() {
        Semaphore goOn = new Semaphore(0);
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        queue.send(messages(0, 1));
        // Each delivery is one more concurrent duplicate; the last are suspects, and stored for a worker that there is
        // none of.
        start(inbox(() -> acquire(goOn)), queue, builder -> builder.concurrency(1));
        for (int cut = 1; cut <= 4; cut++) {
            int channels = cut;
            await().atMost(PATIENCE).until(() -> watched.channels().size() == channels);
            await().atMost(PATIENCE).until(() -> queue.ready() == 0);
            proxy.cut();
        }
        await().atMost(PATIENCE).until(() -> watched.channels().size() == 5);
        goOn.release(100);
        awaitEffects(1);
        assertThat(effects).containsExactly("0");
    }

    @Test
    void messageThatWasDeliveredTooOftenIsKeptForALease() {
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        queue.send(messages(0, 1));
        for (int i = 0; i < 4; i++) {
            queue.ask(channel -> channel.basicGet(queue.name(), false));
        }
        await().atMost(PATIENCE).until(() -> queue.ready() == 1);
        RabbitSource source = start(inbox(), queue, builder -> builder);
        await().atMost(PATIENCE)
                .until(() -> watched.channels().stream().anyMatch(channel -> channel.acknowledged() == 1));
        assertThat(received).isEmpty();
        assertThat(effects).isEmpty();
        assertNothingComesBack(source, queue);
    }

    @Test
    void quorumQueueTellsTheNumberOfDeliveries() {
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        queue.send(messages(0, 2));
        queue.ask(channel -> channel.basicGet(queue.name(), false));
        await().atMost(PATIENCE).until(() -> queue.ready() == 2);
        start(inbox(), queue, builder -> builder);
        awaitEffects(2);
        assertThat(received.stream().filter(message -> message.payload()[0] == '0'))
                .extracting(Message::deliveries)
                .containsExactly(2);
    }
}
