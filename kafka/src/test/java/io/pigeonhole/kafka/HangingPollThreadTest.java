package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A question of the poll thread that the database does not answer, as over a connection that a firewall has dropped. */
class HangingPollThreadTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicLong now = new AtomicLong();
    private final AtomicReference<ConsumerRebalanceListener> listener = new AtomicReference<>();
    private final MockConsumer<byte[], byte[]> broker = new MockConsumer<>("earliest") {
        @Override
        public synchronized void subscribe(Collection<String> topics, ConsumerRebalanceListener subscribed) {
            listener.set(subscribed);
            super.subscribe(topics, subscribed);
        }
    };
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", hanging(InMemoryStore.create()))
            .handle("text", PayloadDecoder.text(), (text, context) -> {})
            .build();
    private final KafkaSource source = KafkaSource.builder(
                    inbox, Map.of("bootstrap.servers", "none", "max.poll.interval.ms", 60_000), "t")
            .closeTimeout(Duration.ofMillis(100))
            .consumerFactory(config -> broker)
            .build(now::get);

    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> hanging(InMemoryStore store) {
        return (InboxStore<InMemoryContext>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {InboxStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("started")) {
                        asked.countDown();
                        assertThat(answer.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                                .isTrue();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        answer.countDown();
        source.close();
    }

    @Test
    void threadThatHasNotPolledForHalfOfWhatTheGroupAllowsIsAProblem() throws InterruptedException {
        broker.schedulePollTask(() -> {
            broker.rebalance(List.of(PARTITION));
            broker.updateBeginningOffsets(Map.of(PARTITION, 0L));
            Objects.requireNonNull(listener.get()).onPartitionsAssigned(List.of(PARTITION));
        });
        broker.schedulePollTask(() -> broker.addRecord(new ConsumerRecord<>("t", 0, 0, null, new byte[1])));
        source.start();
        assertThat(asked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        now.addAndGet(Duration.ofSeconds(30).toNanos());
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("has not polled for 32 s");
        answer.countDown();
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }
}
