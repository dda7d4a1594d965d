package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.NodeHealth.Unhealthy;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node is built, started once and closed, and says whether all is well. */
class NodeHealthTest {
    private final Inbox<?> inbox = Inbox.builder("payments", InMemoryStore.create())
            .handleOther(PayloadDecoder.bytes(), (payload, context) -> {})
            .build();
    private final AtomicBoolean refuses = new AtomicBoolean();
    private final SettableSource source = new SettableSource();
    private final Node node = new NodeBuilder(
                    () -> {
                        if (refuses.get()) {
                            throw new IllegalStateException("no days");
                        }
                    },
                    consumers -> List.of())
            .source(source)
            .maintenanceInterval(Duration.ofSeconds(1))
            .build();

    private final class SettableSource implements Source {
        private SourceState state = SourceState.NEW;
        private @Nullable Throwable failure;
        private List<String> problems = List.of();
        private final List<String> events = new ArrayList<>();

        @Override
        public String name() {
            return "the source";
        }

        @Override
        public Inbox<?> inbox() {
            return inbox;
        }

        @Override
        public void start() {
            events.add("start");
            state = SourceState.RUNNING;
        }

        @Override
        public SourceState state() {
            return state;
        }

        @Override
        public @Nullable Throwable failure() {
            return failure;
        }

        @Override
        public List<String> problems() {
            return problems;
        }

        @Override
        public void close() {
            events.add("close");
            state = SourceState.CLOSED;
        }
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void assertReasons(String... reasons) {
        assertThat(node.health().isHealthy()).isFalse();
        assertThat(node.health())
                .isInstanceOfSatisfying(
                        Unhealthy.class, health -> assertThat(health.reasons()).containsExactly(reasons));
    }

    @Test
    void nodeThatIsBuiltHasStartedNothing() {
        assertThat(source.events).isEmpty();
        assertReasons("the node is not started");
        node.start();
        assertThat(source.events).containsExactly("start");
        assertThat(node.health()).isEqualTo(new NodeHealth.Healthy());
        assertThat(node.health().isHealthy()).isTrue();
    }

    @Test
    void nodeIsStartedOnce() {
        node.start();
        assertThatThrownBy(node::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("build another one");
        assertThat(source.events).containsExactly("start");
        node.close();
        assertReasons("the node is closed");
        assertThatThrownBy(node::start).isInstanceOf(IllegalStateException.class);
        assertThat(source.events).containsExactly("start", "close");
    }

    @Test
    void nodeThatWasClosedBeforeItsStartDoesNotStart() {
        node.close();
        assertThatThrownBy(node::start).isInstanceOf(IllegalStateException.class);
        assertThat(source.events).containsExactly("close");
    }

    @Test
    void nodeThatCouldNotStartIsClosed() {
        refuses.set(true);
        assertThatThrownBy(node::start).hasMessage("no days");
        assertReasons("the node is closed");
    }

    @Test
    void sourceThatTakesNoMessagesIsNamedWithItsProblems() {
        node.start();
        source.state = SourceState.WAITING_FOR_BROKER;
        source.problems = List.of("the queue 'payments' is not there", "the queue 'refunds' is refused");
        assertReasons(
                "the source is WAITING_FOR_BROKER: the queue 'payments' is not there; the queue 'refunds' is refused");
        source.problems = List.of();
        source.failure = new ConfigurationException("the queue is a stream");
        source.state = SourceState.FAILED;
        assertReasons(
                "the source is FAILED",
                "the source gave up: io.pigeonhole.core.failure.ConfigurationException: the queue is a stream");
        source.state = SourceState.RUNNING;
        assertReasons(
                "the source is RUNNING",
                "the source needs a new start: io.pigeonhole.core.failure.ConfigurationException: the queue is a stream");
        source.failure = null;
        assertThat(node.health().isHealthy()).isTrue();
    }

    @Test
    void maintenanceThatFailsIsAReasonUntilItSucceeds() {
        node.start();
        refuses.set(true);
        await().untilAsserted(() -> assertReasons(
                "the store could not be maintained at the last try: java.lang.IllegalStateException: no days"));
        refuses.set(false);
        await().until(() -> node.health().isHealthy());
    }

    @Test
    void wrongSettingIsRefusedBeforeTheStart() {
        NodeBuilder builder = Node.builder(InMemoryStore.create()).workers(-1);
        assertThatThrownBy(builder::build)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("workers -1");
    }

    @Test
    void batchThatDoesNotEndIsAReason() throws Exception {
        InMemoryStore store = InMemoryStore.create();
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Inbox<InMemoryContext> hanging = Inbox.builder("hanging", store)
                .slowBatch(Duration.ofMillis(1))
                .handle("note", PayloadDecoder.text(), (text, context) -> {
                    inWork.countDown();
                    assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
                })
                .build();
        try (Node ofHanging = Node.builder(store).inbox(hanging).start()) {
            CompletableFuture<Outcome> outcome = CompletableFuture.supplyAsync(() -> hanging.process(
                    Message.builder("s").id("1").type("note").payload("x").build()));
            assertThat(inWork.await(30, TimeUnit.SECONDS)).isTrue();
            await().until(() -> !ofHanging.health().isHealthy());
            assertThat(String.valueOf(ofHanging.health()))
                    .contains("consumer 'hanging'", "a batch has been in work for");
            mayEnd.countDown();
            assertThat(outcome.get().kind()).isEqualTo(Outcome.Kind.PROCESSED);
            assertThat(ofHanging.health().isHealthy()).isTrue();
        }
    }

    /** The second one would close them for the first. */
    @Test
    void nodeIsBuiltOnceWithItsSources() {
        SettableSource another = new SettableSource();
        NodeBuilder builder = new NodeBuilder(() -> {}, consumers -> List.of()).source(another);
        try (Node first = builder.start()) {
            assertThatThrownBy(builder::build)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("new sources");
            assertThat(first.health().isHealthy()).isTrue();
            assertThat(another.events).containsExactly("start");
        }
    }
}
