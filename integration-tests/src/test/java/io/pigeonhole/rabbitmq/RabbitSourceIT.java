package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.memory.InMemoryContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
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
    void wrongPasswordIsTold() {
        ConnectionFactory wrong = factory();
        wrong.setPassword("wrong");
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitSource source = start(inbox(), wrong, queue, builder -> builder);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
        assertThat(source.failure())
                .hasMessageContaining(consumer)
                .hasMessageContaining("refuses")
                .hasMessageContaining("Correct the credentials");
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.FAILED);
    }

    @Test
    void onlyWhatThePrefetchAllowsIsTakenWhileTheDatabaseIsAway() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 100));
        Inbox<InMemoryContext> inbox = inbox();
        store.available(false);
        RabbitSource source = start(inbox, queue, builder -> builder.prefetch(30));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        await().during(Duration.ofMillis(300)).atMost(PATIENCE).until(() -> queue.ready() == 70);
        assertThat(queue.consumers()).isEqualTo(1);
        store.available(true);
        awaitEffects(100);
        assertEachOnce(100);
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
        assertThat(store.parked(consumer)).isEmpty();
        assertNothingComesBack(source, queue);
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
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
        queue.declare();
        queue.send(messages(3, 10));
        awaitEffects(10);
        assertEachOnce(10);
        assertThat(source.failure()).isNull();
        assertNothingComesBack(source, queue);
    }

    @Test
    void queueThatSomebodyElseConsumesAloneIsRefusedForGood() throws Exception {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        try (Connection other = AmqpBroker.factory(port()).newConnection();
                Channel channel = other.createChannel()) {
            channel.basicConsume(queue.name(), false, "", false, true, Map.of(), new DefaultConsumer(channel));
            RabbitSource source = start(inbox(), queue, builder -> builder);
            await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
            assertThat(source.failure())
                    .hasMessageContaining("403 ACCESS_REFUSED")
                    .hasMessageContaining(queue.name());
        }
    }

    @Test
    void messageOfAQuorumQueueThatIsDeliveredAgainAndAgainWhileItIsInWorkTakesEffectOnce() {
        Semaphore goOn = new Semaphore(0);
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        queue.send(messages(0, 1));
        // Each delivery is one more twin; the last are suspects, and stored for a worker that there is none of.
        start(inbox(() -> acquire(goOn)), queue, builder -> builder.lanes(1));
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
