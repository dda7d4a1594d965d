package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Circuit;
import io.pigeonhole.core.node.MaintenanceListener;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.NodeBuilder;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.node.WindowVerdict;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No thread of a node dies of what the application throws, or of an interrupt, while the node is open. */
@Tag("B1")
@Tag("B2")
class ThreadsLiveTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final List<Supplier<Throwable>> THROWN = List.of(
            () -> new OutOfMemoryError("a corrupt length"),
            StackOverflowError::new,
            () -> new NoClassDefFoundError("com/example/Missing"),
            () -> new InterruptedException("by nobody"),
            () -> new Exception("hidden", new Exception() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                    throw new InternalError("no message");
                }
            }));

    private final InMemoryStore store = InMemoryStore.create();
    private final InMemoryBroker broker = InMemoryBroker.create();
    private final Set<String> effects = ConcurrentHashMap.newKeySet();

    /** Payloads that are numbers are thrown, after the thread was interrupted. */
    private void handle(String payload) throws Exception {
        if (Character.isDigit(payload.charAt(0))) {
            Thread.currentThread().interrupt();
            Throwable failure =
                    THROWN.get(Integer.parseInt(payload) % THROWN.size()).get();
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        }
    }

    private Inbox<InMemoryContext> inbox(String consumer) {
        InboxBuilder<InMemoryContext> builder = Inbox.builder(consumer, store)
                .handle("here", PayloadDecoder.text(), (payload, context) -> {
                    handle(payload);
                    context.defer(() -> effects.add(payload));
                })
                .handleExternal("elsewhere", PayloadDecoder.text(), (payload, context) -> {
                    handle(payload);
                    Completion<InMemoryContext> completion = each -> each.defer(() -> effects.add(payload));
                    return completion;
                })
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(3));
        return builder.build();
    }

    private void send(String queue, String type, String payload) {
        broker.send(
                queue,
                Message.builder(queue)
                        .id(type + " " + payload)
                        .type(type)
                        .payload(payload)
                        .build());
    }

    private static List<Thread> threads(String... prefixes) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> List.of(prefixes).stream().anyMatch(thread.getName()::startsWith))
                .toList();
    }

    @Test
    void nodeGoesOnWhateverItsHandlersThrow() {
        NodeBuilder builder = Node.builder(store)
                .source(broker.source(inbox("live"), "live"))
                .workers(2)
                .leaseWorkers(2);
        try (Node node = builder.start()) {
            for (int i = 0; i < 2 * THROWN.size(); i++) {
                send("live", "here", "" + i);
                send("live", "elsewhere", "" + i);
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(store.deadLetters("live")).hasSize(4 * THROWN.size()));
            send("live", "here", "still here");
            send("live", "elsewhere", "still there");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(effects).containsExactlyInAnyOrder("still here", "still there"));
            assertThat(broker.unacknowledged("live")).isZero();
            assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);
            assertThat(node.failure()).isNull();
        }
    }

    @Test
    void nodeGoesOnWhoeverInterruptsItsThreads() {
        NodeBuilder builder = Node.builder(store)
                .source(broker.source(inbox("interrupted"), "interrupted"))
                .maintenanceInterval(Duration.ofSeconds(1));
        try (Node node = builder.start()) {
            for (int round = 0; round < 5; round++) {
                threads("pigeonhole-", "in-memory-source-").forEach(Thread::interrupt);
                send("interrupted", "here", "a" + round);
                send("interrupted", "elsewhere", "b" + round);
                int wanted = 2 * (round + 1);
                await().atMost(PATIENCE).until(() -> effects.size() == wanted);
            }
            assertThat(threads("pigeonhole-workers")).hasSize(1);
            assertThat(threads("pigeonhole-janitor")).hasSize(1);
            assertThat(node.sources().get(0).state()).isEqualTo(SourceState.RUNNING);
        }
    }

    @Test
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void maintenanceGoesOnWhateverItsListenerThrows() {
        AtomicInteger verdicts = new AtomicInteger();
        NodeBuilder builder = Node.builder(store)
                .source(broker.source(inbox("listened"), "listened"))
                .maintenanceListener(new MaintenanceListener() {
                    @Override
                    public void onVerdict(WindowVerdict verdict) {
                        verdicts.incrementAndGet();
                        throw new NoClassDefFoundError("a listener's own");
                    }
                });
        try (Node node = builder.start()) {
            await().atMost(PATIENCE).until(() -> verdicts.get() > 0);
            await().during(Duration.ofMillis(100))
                    .until(() -> threads("pigeonhole-janitor").size() == 1);
        }
    }
}
