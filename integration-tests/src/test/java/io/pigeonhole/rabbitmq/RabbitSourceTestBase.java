package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.network.UnreliableProxy;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store in memory, and sources that come through a proxy, as producers do not. */
abstract class RabbitSourceTestBase {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    final InMemoryStore store = InMemoryStore.create();
    final Queue<String> effects = new ConcurrentLinkedQueue<>();
    final Queue<Message> received = new ConcurrentLinkedQueue<>();
    final WatchedConnections watched = new WatchedConnections();
    final List<AutoCloseable> toClose = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    UnreliableProxy proxy;

    @SuppressWarnings("NullAway.Init")
    String consumer;

    abstract int port();

    @BeforeEach
    void begin() {
        proxy = UnreliableProxy.before(port());
        toClose.add(proxy);
        consumer = "consumer-" + NUMBERS.incrementAndGet();
    }

    @AfterEach
    void closeAll() throws Exception {
        store.available(true);
        proxy.thaw();
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    AmqpQueue queue(Map<String, Object> arguments) {
        AmqpQueue queue = AmqpQueue.create(
                AmqpBroker.factory(port()), getClass().getSimpleName() + "-" + NUMBERS.incrementAndGet(), arguments);
        toClose.add(queue);
        return queue;
    }

    ConnectionFactory factory() {
        return AmqpBroker.factory(proxy.port());
    }

    /** Writes the payload into the effects, after something else was done. */
    Inbox<InMemoryContext> inbox(Runnable first) {
        return Inbox.builder(consumer, store)
                .handle("test", PayloadDecoder.text(), (payload, context) -> {
                    received.add(context.message());
                    first.run();
                    context.defer(() -> effects.add(payload));
                })
                .build();
    }

    Inbox<InMemoryContext> inbox() {
        return inbox(() -> {});
    }

    RabbitSource start(Inbox<?> inbox, AmqpQueue queue, UnaryOperator<RabbitSourceBuilder> settings) {
        return start(inbox, factory(), queue, settings);
    }

    RabbitSource start(
            Inbox<?> inbox, ConnectionFactory factory, AmqpQueue queue, UnaryOperator<RabbitSourceBuilder> settings) {
        RabbitSourceBuilder builder = RabbitSource.builder(inbox, factory, queue.name())
                .connectionOpener(watched)
                .retryPause(Duration.ofMillis(100));
        RabbitSource source = settings.apply(builder).build();
        toClose.add(source);
        source.start();
        return source;
    }

    static List<Message> messages(int first, int end) {
        return IntStream.range(first, end)
                .mapToObj(i -> Message.builder("sent")
                        .id("" + i)
                        .type("test")
                        .payload("" + i)
                        .build())
                .toList();
    }

    void awaitEffects(int count) {
        await().atMost(PATIENCE).until(() -> effects.size() >= count);
    }

    void assertEachOnce(int count) {
        assertThat(effects)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, count).mapToObj(String::valueOf).toList());
    }

    /** What is not acknowledged comes back to the queue when the source is gone. */
    void assertNothingComesBack(RabbitSource source, AmqpQueue queue) {
        source.close();
        // The broker may part from the consumer first, and give back what it had afterwards.
        await().atMost(PATIENCE).until(() -> queue.consumers() == 0);
        await().during(Duration.ofMillis(200)).atMost(PATIENCE).until(() -> queue.ready() == 0);
    }

    static void acquire(Semaphore semaphore) {
        try {
            if (!semaphore.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody let the handler go on");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
