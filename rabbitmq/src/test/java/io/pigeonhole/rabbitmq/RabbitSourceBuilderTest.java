package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.OAuthTokenManagementException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.node.RedeliveryWindow;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.time.BoundedWait;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RabbitSourceBuilderTest {
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", InMemoryStore.create())
            .handle("payment", PayloadDecoder.bytes(), (payload, context) -> {})
            .build();

    private void assertRefused(UnaryOperator<RabbitSourceBuilder> settings, String... texts) {
        RabbitSourceBuilder builder = settings.apply(RabbitSource.builder(inbox, new ConnectionFactory(), "queue"));
        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("inbox 'payments'")
                .hasMessageContainingAll(texts);
    }

    @Test
    void whateverTheOpenerThrowsIsTriedAgainButAWrongConfiguration() {
        Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>(List.of(
                new OAuthTokenManagementException("the token server answers 503"),
                new UnresolvedAddressException(),
                new ConfigurationException("no such virtual host")));
        RabbitSource source = RabbitSource.builder(inbox, new ConnectionFactory(), "queue")
                .retryPause(Duration.ofMillis(10))
                .connectionOpener((factory, name) -> {
                    throw failures.remove();
                })
                .build();
        source.start();
        try {
            await().until(() -> source.state() == SourceState.FAILED);
            assertThat(source.failure()).hasMessage("no such virtual host");
            assertThat(failures).isEmpty();
        } finally {
            source.close();
        }
    }

    @Test
    void channelIsReplacedAlsoWhereThereIsNoMemoryToSayWhyItWasClosed() {
        Queue<Consumer> consumers = new ConcurrentLinkedQueue<>();
        Channel channel = fake(Channel.class, (method, values) -> {
            if (method.equals("basicConsume")) {
                consumers.add((Consumer) values[values.length - 1]);
                return "tag";
            }
            return method.equals("queueDeclarePassive")
                    ? new AMQP.Queue.DeclareOk.Builder().queue("queue").build()
                    : null;
        });
        Connection connection = fake(
                Connection.class,
                (method, values) -> method.equals("createChannel") ? channel : method.equals("isOpen") ? true : null);
        RabbitSource source = RabbitSource.builder(inbox, new ConnectionFactory(), "queue")
                .retryPause(Duration.ofMillis(10))
                .connectionOpener((factory, name) -> connection)
                .build();
        source.start();
        try {
            await().until(() -> consumers.size() == 1);
            ShutdownSignalException signal = new ShutdownSignalException(false, false, null, null) {
                private static final long serialVersionUID = 1L;

                @Override
                public Method getReason() {
                    throw new OutOfMemoryError("of the test");
                }
            };
            Consumer first = consumers.element();
            assertThatThrownBy(() -> first.handleShutdownSignal("tag", signal)).isInstanceOf(OutOfMemoryError.class);
            await().until(() -> consumers.size() == 2);
        } finally {
            source.close();
        }
    }

    @Test
    @Tag("E11")
    void sourcesThatOnlyConnectAreClosedAtOnceAndWhatTheyOpenLaterIsClosed() {
        CountDownLatch connecting = new CountDownLatch(3);
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger aborted = new AtomicInteger();
        Connection late = fake(Connection.class, (method, values) -> {
            if (method.equals("abort")) {
                aborted.incrementAndGet();
            }
            return method.equals("isOpen") ? true : null;
        });
        List<RabbitSource> sources = Stream.of("a", "b", "c")
                .map(queue -> RabbitSource.builder(inbox, new ConnectionFactory(), queue)
                        .connectionOpener((factory, name) -> {
                            connecting.countDown();
                            BoundedWait.await(
                                    Duration.ofMinutes(2), nanos -> answer.await(nanos, TimeUnit.NANOSECONDS));
                            return late;
                        })
                        .build())
                .toList();
        sources.forEach(RabbitSource::start);
        await().until(() -> connecting.getCount() == 0);
        long begun = System.nanoTime();
        sources.forEach(RabbitSource::close);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
        answer.countDown();
        await().until(() -> aborted.get() == 3);
    }

    @SuppressWarnings("unchecked")
    static <T> T fake(Class<T> type, Answer answer) {
        return (T) Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, values) -> answer.to(method.getName(), values));
    }

    /** What a method of a fake does. */
    interface Answer {
        @Nullable
        Object to(String method, Object[] values) throws Throwable;
    }

    @Test
    @Tag("B1")
    @Tag("B3")
    void sourceOutlivesInterruptsAndCyclesOfCausesOfWhatOpensItsConnections() {
        AtomicInteger calls = new AtomicInteger();
        RabbitSource source = RabbitSource.builder(inbox, new ConnectionFactory(), "queue")
                .retryPause(Duration.ofMillis(10))
                .connectionOpener((factory, name) -> {
                    calls.incrementAndGet();
                    Thread.currentThread().interrupt();
                    if (calls.get() == 2) {
                        throw new OutOfMemoryError("no room for a connection");
                    }
                    IOException one = new IOException("one");
                    one.initCause(new IOException("other", one));
                    throw one;
                })
                .build();
        source.start();
        try {
            await().atMost(Duration.ofSeconds(10)).until(() -> calls.get() > 5);
            assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
            assertThat(source.failure()).isNull();
        } finally {
            source.close();
        }
    }

    @Test
    void wrongSettingsAreRefusedWithTheirNames() {
        assertRefused(builder -> builder.prefetch(0), "prefetch is 0", "65535");
        assertRefused(builder -> builder.prefetch(65_536), "prefetch is 65536");
        assertRefused(builder -> builder.retryPause(Duration.ZERO), "retryPause 0 s");
        assertRefused(builder -> builder.closeTimeout(Duration.ofSeconds(-1)), "closeTimeout -1 s");
        assertRefused(builder -> builder.retryPause(Duration.ofMillis(Long.MAX_VALUE)), "retryPause", "365 days");
        assertRefused(builder -> builder.closeTimeout(Duration.ofMillis(Long.MAX_VALUE)), "closeTimeout", "365 days");
        assertRefused(builder -> builder.sourceName(queue -> " "), "sourceName", "'queue'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "amqp-exchange",
                "amqp-routing-key",
                "amqp-content-encoding",
                "amqp-correlation-id",
                "amqp-reply-to",
                "amqp-timestamp",
                "amqp-user-id",
                "amqp-app-id",
                "AMQP-User-ID"
            })
    @Tag("E5")
    void headerThatNobodyCanSendIsRefused(String name) {
        assertRefused(builder -> builder.idHeader(name), "idHeader", name, "sent-" + name);
        assertRefused(builder -> builder.typeHeader(name), "typeHeader", name);
        assertRefused(builder -> builder.orderingKeyHeader(name), "orderingKeyHeader", name);
    }

    @Test
    @Tag("E5")
    void orderingKeyFunctionReplacesAHeaderThatWouldBeRefused() {
        assertThat(RabbitSource.builder(inbox, new ConnectionFactory(), "queue")
                        .orderingKeyHeader("amqp-user-id")
                        .orderingKey(delivery -> null)
                        .build())
                .isNotNull();
    }

    @Test
    @Tag("E5")
    void headerWithoutANameIsRefused() {
        assertRefused(builder -> builder.idHeader(" "), "idHeader", "blank");
        assertRefused(builder -> builder.typeHeader(""), "typeHeader", "blank");
        assertRefused(builder -> builder.orderingKeyHeader(""), "orderingKeyHeader", "blank");
    }

    @Test
    @Tag("E1")
    void sourceRunsOnlyWhenItConsumes() {
        CountDownLatch mayOpen = new CountDownLatch(1);
        CountDownLatch mayConsume = new CountDownLatch(1);
        Channel channel = fake(Channel.class, (method, values) -> {
            if (method.equals("basicConsume")) {
                BoundedWait.await(Duration.ofMinutes(2), nanos -> mayConsume.await(nanos, TimeUnit.NANOSECONDS));
            }
            return method.equals("basicConsume") ? "tag" : null;
        });
        AtomicInteger channels = new AtomicInteger();
        Connection connection = fake(Connection.class, (method, values) -> {
            if (method.equals("createChannel")) {
                channels.incrementAndGet();
                return channel;
            }
            return method.equals("isOpen") ? true : null;
        });
        RabbitSource source = RabbitSource.builder(inbox, new ConnectionFactory(), "queue")
                .connectionOpener((factory, name) -> {
                    BoundedWait.await(Duration.ofMinutes(2), nanos -> mayOpen.await(nanos, TimeUnit.NANOSECONDS));
                    return connection;
                })
                .build();
        source.start();
        try {
            assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
            assertThat(source.problems()).containsExactly("queue 'queue': not consumed yet");
            mayOpen.countDown();
            await().until(() -> channels.get() > 0);
            assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
            mayConsume.countDown();
            await().until(() -> source.state() == SourceState.RUNNING);
            assertThat(source.problems()).isEmpty();
        } finally {
            source.close();
        }
    }

    @Tag("E5")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void sourceOfWhichAThreadCannotBeStartedLeavesNothingOpen(int which) {
        Inbox<InMemoryContext> another = Inbox.builder("without-a-thread", InMemoryStore.create())
                .handle("payment", PayloadDecoder.bytes(), (payload, context) -> {})
                .build();
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger aborted = new AtomicInteger();
        RabbitSource begun = RabbitSource.builder(another, new ConnectionFactory(), "a", "b", "c")
                .connectionOpener((factory, name) -> {
                    opened.incrementAndGet();
                    return fake(Connection.class, (method, values) -> {
                        if (method.equals("abort")) {
                            aborted.incrementAndGet();
                        }
                        return method.equals("isOpen") ? true : null;
                    });
                })
                .build();
        AtomicInteger threads = new AtomicInteger();

        assertThatThrownBy(() -> begun.start(task -> new Thread(task) {
                    @Override
                    public synchronized void start() {
                        if (threads.incrementAndGet() >= which) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        super.start();
                    }
                }))
                .isInstanceOf(OutOfMemoryError.class);

        assertThat(begun.state()).isEqualTo(SourceState.CLOSED);
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.contains("without-a-thread")));
        assertThat(aborted.get()).isGreaterThanOrEqualTo(opened.get());
    }

    @Test
    void redeliveryWindowIsWhatTheBuilderWasToldAndUnknownWithoutIt() {
        RabbitSourceBuilder builder = RabbitSource.builder(inbox, new ConnectionFactory(), "queue");

        assertThat(builder.build().redeliveryWindow().kind()).isEqualTo(RedeliveryWindow.Kind.UNKNOWN);
        assertThat(builder.messageTtl(Duration.ofDays(3)).build().redeliveryWindow())
                .isEqualTo(RedeliveryWindow.of(Duration.ofDays(3), "queues [queue] (x-message-ttl)"));
    }

    @Test
    void inboxThatNeedsALogIsRefused() {
        Inbox<?> byWatermarks = Inbox.builder("payments", InMemoryStore.create())
                .deduplication(Deduplication.WATERMARKS)
                .build();
        assertThatThrownBy(() -> RabbitSource.of(byWatermarks, new ConnectionFactory(), "queue"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("payments")
                .hasMessageContaining("WATERMARKS");
    }

    @Test
    void queuesAreNamedOnce() {
        ConnectionFactory factory = new ConnectionFactory();
        assertThatThrownBy(() -> RabbitSource.of(inbox, factory)).hasMessageContaining("queues are []");
        assertThatThrownBy(() -> RabbitSource.of(inbox, factory, "")).hasMessageContaining("name at least one");
        assertThatThrownBy(() -> RabbitSource.of(inbox, factory, "q", "q")).hasMessageContaining("each once");
    }

    @Test
    void connectionFactoryIsCopiedAndItsRecoveryNotUsed() {
        ConnectionFactory factory = new ConnectionFactory();
        CompletableFuture<ConnectionFactory> used = new CompletableFuture<>();
        RabbitSource source = RabbitSource.builder(inbox, factory, "queue")
                .connectionOpener((copy, name) -> {
                    used.complete(copy);
                    throw new IOException("not there");
                })
                .build();
        factory.setVirtualHost("changed afterwards");
        source.start();
        try {
            ConnectionFactory copy = used.join();
            assertThat(copy.isAutomaticRecoveryEnabled()).isFalse();
            assertThat(copy.isTopologyRecoveryEnabled()).isFalse();
            assertThat(copy.getChannelRpcTimeout()).isZero();
            assertThat(copy.getVirtualHost()).isEqualTo("/");
            assertThat(copy.getThreadFactory().newThread(() -> {}).isDaemon()).isTrue();
            assertThat(factory.isAutomaticRecoveryEnabled()).isTrue();
            await().untilAsserted(() ->
                    assertThat(source.problems()).containsExactly("queue 'queue': java.io.IOException: not there"));
            assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
        } finally {
            source.close();
        }
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
    }
}
