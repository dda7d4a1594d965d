package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.NoConnectionException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.time.BoundedWait;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NodeTest {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Inbox<?> inbox = Inbox.builder("payments", InMemoryStore.create())
            .handleOther(PayloadDecoder.bytes(), (payload, context) -> {})
            .build();

    /** Writes down what is asked of it. */
    private final class RecordingSource implements Source {
        private final String name;
        private final @Nullable RuntimeException refusal;
        private final Runnable whenClosed;
        private SourceState state = SourceState.NEW;

        RecordingSource(String name, @Nullable RuntimeException refusal) {
            this(name, refusal, () -> {});
        }

        RecordingSource(String name, @Nullable RuntimeException refusal, Runnable whenClosed) {
            this.name = name;
            this.refusal = refusal;
            this.whenClosed = whenClosed;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Inbox<?> inbox() {
            return inbox;
        }

        @Override
        public void start() {
            events.add("start " + name);
            if (refusal != null) {
                state = SourceState.FAILED;
                throw refusal;
            }
            state = SourceState.RUNNING;
        }

        @Override
        public SourceState state() {
            return state;
        }

        @Override
        public @Nullable Throwable failure() {
            return state == SourceState.FAILED ? refusal : null;
        }

        @Override
        public void close() {
            events.add("close " + name);
            whenClosed.run();
        }
    }

    @Test
    void storeIsMaintainedBeforeAnySourceStartsAndAllAreClosedOnce() {
        Node node = new NodeBuilder(() -> events.add("maintain"), consumers -> List.of())
                .source(new RecordingSource("a", null))
                .source(new RecordingSource("b", null))
                .start();
        assertThat(node.failure()).isNull();
        node.close();
        node.close();
        assertThat(events.subList(0, 3)).containsExactly("maintain", "start a", "start b");
        assertThat(events.subList(3, events.size())).containsExactlyInAnyOrder("close a", "close b");
    }

    @Test
    @Tag("E11")
    void sourcesAreClosedSideBySideAlsoWhereOneFails() {
        CountDownLatch bothClose = new CountDownLatch(2);
        Runnable meetTheOther = () -> {
            bothClose.countDown();
            if (!BoundedWait.await(Duration.ofSeconds(20), nanos -> bothClose.await(nanos, TimeUnit.NANOSECONDS))) {
                events.add("closed alone");
            }
            throw new IllegalStateException("closing fails");
        };
        Node node = new NodeBuilder(() -> {}, consumers -> List.of())
                .source(new RecordingSource("a", null, meetTheOther))
                .source(new RecordingSource("b", null, meetTheOther))
                .start();
        node.close();
        assertThat(events).contains("close a", "close b").doesNotContain("closed alone");
    }

    @Test
    void failingStartClosesWhatWasStarted() {
        NodeBuilder builder = new NodeBuilder(() -> {}, consumers -> List.of())
                .source(new RecordingSource("a", null))
                .source(new RecordingSource("b", new ConfigurationException("refused")))
                .source(new RecordingSource("c", null));
        assertThatThrownBy(builder::start).hasMessage("refused");
        assertThat(events)
                .containsSubsequence("start a", "start b")
                .containsOnlyOnce("close a", "close b")
                .doesNotContain("start c");
    }

    @Test
    void storeThatCannotBeMaintainedStartsNothing() {
        NodeBuilder builder = new NodeBuilder(
                        () -> {
                            throw new StoreUnavailableException("away", null);
                        },
                        consumers -> List.of())
                .source(new RecordingSource("a", null));
        assertThatThrownBy(builder::start).isInstanceOf(StoreUnavailableException.class);
        assertThat(events).doesNotContain("start a");
    }

    @Test
    void maintenanceRunsAgainAndSurvivesItsFailures() {
        AtomicInteger runs = new AtomicInteger();
        try (Node node = new NodeBuilder(
                        () -> {
                            if (runs.incrementAndGet() == 2) {
                                throw new StoreUnavailableException("away", null);
                            }
                        },
                        consumers -> List.of())
                .maintenanceInterval(Duration.ofSeconds(1))
                .start()) {
            await().atMost(Duration.ofSeconds(20)).until(() -> runs.get() >= 3);
            assertThat(node.sources()).isEmpty();
        }
    }

    @Test
    void intervalBelowASecondIsRefused() {
        NodeBuilder builder = new NodeBuilder(() -> {}, consumers -> List.of()).maintenanceInterval(Duration.ZERO);
        assertThatThrownBy(builder::start).isInstanceOf(ConfigurationException.class);
    }

    @Test
    void anotherInboxOfTheSameConsumerIsRefused() {
        Inbox<?> other = Inbox.builder("payments", InMemoryStore.create()).build();
        NodeBuilder builder = new NodeBuilder(() -> {}, consumers -> List.of())
                .source(new RecordingSource("a", null))
                .source(new RecordingSource("b", null))
                .inbox(inbox);

        assertThatThrownBy(() -> builder.inbox(other))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("payments");
    }

    @Test
    void inboxOfAnotherStoreIsRefused() {
        InMemoryStore store = InMemoryStore.create();
        NodeBuilder builder = Node.builder(store);

        assertThatThrownBy(() -> builder.source(new RecordingSource("a", null)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'payments'")
                .hasMessageContaining("another store")
                .hasMessageContaining("build the inbox and the node with the same object");
        try (Node node = builder.inbox(Inbox.builder("payments", store).build()).start()) {
            assertThat(node.failure()).isNull();
        }
    }

    @Test
    void workersOfANodeTryAgainWhatFailedAndFindOutWhetherTheStoreIsAway() {
        InMemoryStore store = InMemoryStore.create();
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        Inbox<InMemoryContext> retrying = Inbox.builder("retrying", store)
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .handle("note", PayloadDecoder.text(), (note, context) -> {
                    attempts.add(context.attempt());
                    if (context.attempt() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                })
                .build();
        try (Node node = Node.builder(store).inbox(retrying).start()) {
            assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);
            retrying.process(
                    Message.builder("notes").id("1").type("note").payload("x").build());
            await().atMost(Duration.ofSeconds(20)).until(() -> attempts.equals(List.of(1, 2, 3)));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> store.work("retrying").isEmpty());

            store.available(false);
            await().atMost(Duration.ofSeconds(20)).until(() -> node.circuit() == Circuit.OPEN);
            store.available(true);
            await().atMost(Duration.ofSeconds(20)).until(() -> node.circuit() == Circuit.CLOSED);
        }
    }

    /** A store that refuses the writes of these names while it is told to, in transactions of one consumer or of all. */
    private static final class Refusing {
        private final InMemoryStore store = InMemoryStore.create();
        private final AtomicBoolean refuses = new AtomicBoolean();
        private final AtomicInteger refusals = new AtomicInteger();
        private final Supplier<RuntimeException> refusal;
        private final Set<String> operations;
        private final @Nullable String consumer;

        Refusing(ErrorClass errorClass, Set<String> operations, @Nullable String consumer) {
            this(() -> new StoreException(errorClass, "no space left on the device", null), operations, consumer);
        }

        Refusing(Supplier<RuntimeException> refusal, Set<String> operations, @Nullable String consumer) {
            this.refusal = refusal;
            this.operations = operations;
            this.consumer = consumer;
        }

        @SuppressWarnings("unchecked") // A proxy of the interface that it is made for.
        InboxStore<InMemoryContext> proxy() {
            return (InboxStore<InMemoryContext>) proxy(InboxStore.class, store);
        }

        private Object proxy(Class<?> type, Object target) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                if (refuses.get() && operations.contains(method.getName()) && concerns(arguments)) {
                    refusals.incrementAndGet();
                    throw refusal.get();
                }
                try {
                    Object result = method.invoke(target, arguments);
                    return method.getName().equals("begin") ? proxy(InboxTransaction.class, result) : result;
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
        }

        private boolean concerns(Object @Nullable [] arguments) {
            return consumer == null
                    || (arguments != null
                            && arguments[0] instanceof RegisteredConsumer of
                            && of.name().equals(consumer));
        }
    }

    private static Message note(String id) {
        return Message.builder("notes").id(id).type("note").payload(id).build();
    }

    @Test
    @Tag("A4")
    void circuitIsOpenWhileTheStoreRefusesToCommitAndHandlersDoNotRunAgainAndAgain() {
        Refusing full = new Refusing(ErrorClass.UNAVAILABLE, Set.of("commit", "requireLease"), null);
        InboxStore<InMemoryContext> store = full.proxy();
        Queue<String> effects = new ConcurrentLinkedQueue<>();
        AtomicInteger runs = new AtomicInteger();
        Inbox<InMemoryContext> filling = Inbox.builder("filling", store)
                .handle("note", PayloadDecoder.text(), (note, context) -> {
                    runs.incrementAndGet();
                    context.defer(() -> effects.add(note));
                })
                .build();
        List<String> ids = IntStream.range(0, 40).mapToObj(i -> "" + i).toList();
        filling.receive(ids.stream().map(NodeTest::note).toList());
        full.refuses.set(true);

        try (Node node = Node.builder(store).inbox(filling).workers(1).start()) {
            await().atMost(Duration.ofSeconds(20)).until(() -> node.circuit() == Circuit.OPEN);
            // From now on the only thread tries a write that is rolled back, and calls no handler.
            int refusals = full.refusals.get();
            int runsBefore = runs.get();
            await().atMost(Duration.ofSeconds(20)).until(() -> full.refusals.get() >= refusals + 4);
            assertThat(runs).hasValue(runsBefore);
            assertThat(node.circuit()).isEqualTo(Circuit.OPEN);
            assertThat(effects).isEmpty();

            full.refuses.set(false);
            await().atMost(Duration.ofSeconds(5)).until(() -> effects.size() == ids.size());
            await().atMost(Duration.ofSeconds(5)).until(() -> node.circuit() == Circuit.CLOSED);
            assertThat(effects).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(full.store.work("filling")).isEmpty();
        }
    }

    private static Inbox<InMemoryContext> inboxOf(
            String name, InboxStore<InMemoryContext> store, Queue<String> effects) {
        return Inbox.builder(name, store)
                .handle("note", PayloadDecoder.text(), (note, context) -> context.defer(() -> effects.add(note)))
                .build();
    }

    private static List<Message> notes(int number) {
        return IntStream.range(0, number).mapToObj(i -> note("n" + i)).toList();
    }

    @Test
    @Tag("A4")
    void consumerThatAloneIsRefusedKeepsNoOtherWaiting() {
        Refusing refusing = new Refusing(ErrorClass.UNAVAILABLE, Set.of("take"), "refused");
        InboxStore<InMemoryContext> store = refusing.proxy();
        Queue<String> effects = new ConcurrentLinkedQueue<>();
        Inbox<InMemoryContext> refused = inboxOf("refused", store, new ConcurrentLinkedQueue<>());
        Inbox<InMemoryContext> other = inboxOf("other", store, effects);
        refused.receive(notes(200));
        refusing.refuses.set(true);
        try (Node node = Node.builder(store).inbox(refused).inbox(other).start()) {
            await().atMost(Duration.ofSeconds(20)).until(() -> node.circuit() == Circuit.OPEN);
            for (int i = 1; i <= 5; i++) {
                int refusals = refusing.refusals.get();
                await().atMost(Duration.ofSeconds(20)).until(() -> refusing.refusals.get() > refusals);
                other.receive(List.of(note("" + i)));
                int done = i;
                await().atMost(Duration.ofSeconds(5)).until(() -> effects.size() == done);
            }
        }
    }

    @Test
    @Tag("A4")
    void circuitIsOpenWhileACallThatWasMadeCannotBeFinished() {
        Refusing full = new Refusing(ErrorClass.UNAVAILABLE, Set.of("hold"), null);
        InboxStore<InMemoryContext> store = full.proxy();
        AtomicInteger calls = new AtomicInteger();
        Inbox<InMemoryContext> calling = Inbox.builder("calling", store)
                .handleExternal("note", PayloadDecoder.text(), (note, context) -> {
                    calls.incrementAndGet();
                    return Completion.nothing();
                })
                .build();
        full.refuses.set(true);
        try (Node node = Node.builder(store).inbox(calling).start()) {
            calling.process(note("1"));
            await().atMost(Duration.ofSeconds(20)).until(() -> node.circuit() == Circuit.OPEN);
            full.refuses.set(false);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> full.store.work("calling").isEmpty());
            await().atMost(Duration.ofSeconds(20)).until(() -> node.circuit() == Circuit.CLOSED);
            assertThat(calls).hasValue(1);
        }
    }

    @Test
    @Tag("A4")
    void workersTakeTurnsAtAPoolThatIsUsedUp() {
        Refusing pool =
                new Refusing(() -> new NoConnectionException("the pool is used up", null), Set.of("begin"), null);
        InboxStore<InMemoryContext> store = pool.proxy();
        Queue<String> effects = new ConcurrentLinkedQueue<>();
        Inbox<InMemoryContext> inboxOfMany = inboxOf("many", store, effects);
        inboxOfMany.receive(notes(200));
        pool.refuses.set(true);
        try (Node node = Node.builder(store).inbox(inboxOfMany).start()) {
            // All delivery threads ask for one at each look: no thread waits for the trial of another.
            await().atMost(Duration.ofSeconds(15)).until(() -> pool.refusals.get() >= 40);
            assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);
            pool.refuses.set(false);
            await().atMost(Duration.ofSeconds(20)).until(() -> effects.size() == 200);
        }
    }

    @Test
    @Tag("A4")
    void whatTheStoreRefusesOfOneInboxForItsMessagesOpensNoCircuit() {
        Refusing failing = new Refusing(ErrorClass.PERMANENT, Set.of("take"), "failing");
        InboxStore<InMemoryContext> store = failing.proxy();
        Queue<String> effects = new ConcurrentLinkedQueue<>();
        List<Inbox<InMemoryContext>> inboxes = Stream.of("failing", "working")
                .map(name -> Inbox.builder(name, store)
                        .handle(
                                "note",
                                PayloadDecoder.text(),
                                (note, context) -> context.defer(() -> effects.add(note)))
                        .build())
                .toList();
        failing.refuses.set(true);
        try (Node node = Node.builder(store)
                .inbox(inboxes.get(0))
                .inbox(inboxes.get(1))
                .pollInterval(Duration.ofMillis(50))
                .start()) {
            inboxes.get(0).receive(List.of(note("never")));
            for (int i = 1; i <= 5; i++) {
                int refused = failing.refusals.get();
                await().atMost(Duration.ofSeconds(20)).until(() -> failing.refusals.get() > refused);
                inboxes.get(1).receive(List.of(note("" + i)));
                int done = i;
                await().atMost(Duration.ofSeconds(20)).until(() -> effects.size() == done);
                assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);
            }
        }
    }

    /** A right is missing, or a row is damaged: it does not pass by itself, and nothing else says so. */
    @Test
    @Tag("A4")
    void workThatTheStoreRefusesForLongIsNoHealth() {
        assertThatItIsNoHealth(
                new Refusing(ErrorClass.PERMANENT, Set.of("take"), "failing"), "refuses the work in work partition");
    }

    @Test
    void workThatADefectEndsForLongIsNoHealth() {
        assertThatItIsNoHealth(
                new Refusing(() -> new IllegalStateException("a defect"), Set.of("take"), "failing"),
                "a defect ends the work in work partition");
    }

    private static void assertThatItIsNoHealth(Refusing failing, String text) {
        InboxStore<InMemoryContext> store = failing.proxy();
        Queue<String> effects = new ConcurrentLinkedQueue<>();
        Inbox<InMemoryContext> inbox = inboxOf("failing", store, effects);
        failing.refuses.set(true);
        try (Node node = Node.builder(store)
                .inbox(inbox)
                .pollInterval(Duration.ofMillis(50))
                .start()) {
            inbox.receive(List.of(note("refused")));
            await().atMost(Duration.ofSeconds(60)).until(() -> node.health() instanceof NodeHealth.Unhealthy);
            assertThat(node.health()).asString().contains("'failing'", text);
            assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);

            failing.refuses.set(false);
            await().atMost(Duration.ofSeconds(20)).until(() -> effects.size() == 1);
            await().atMost(Duration.ofSeconds(20)).until(() -> node.health() instanceof NodeHealth.Healthy);
        }
    }

    @Test
    @Tag("B11")
    void closedNodeDoesNotProlongTheLeaseOfAHandlerThatHangs() {
        InMemoryStore store = InMemoryStore.create();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean end = new AtomicBoolean();
        Inbox<InMemoryContext> hanging = Inbox.builder("hanging", store)
                .handleExternal("note", PayloadDecoder.text(), (note, context) -> {
                    begun.countDown();
                    while (!end.get()) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    return Completion.nothing();
                })
                .build();
        Node node = Node.builder(store).inbox(hanging).start();
        hanging.process(
                Message.builder("notes").id("1").type("note").payload("x").build());
        await().atMost(Duration.ofSeconds(20)).until(() -> begun.getCount() == 0);
        assertThat(threads()).contains("pigeonhole-leases-hanging", "pigeonhole-watch");

        node.close();
        await().atMost(Duration.ofSeconds(5))
                .until(() -> !threads().contains("pigeonhole-leases-hanging")
                        && !threads().contains("pigeonhole-watch"));
        end.set(true);
    }

    @Test
    void closingWaitsForExternalHandlersAlsoOnAnInterruptedThread() throws InterruptedException {
        InMemoryStore store = InMemoryStore.create();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger completed = new AtomicInteger();
        Inbox<InMemoryContext> calling = Inbox.builder("calling", store)
                .handleExternal("note", PayloadDecoder.text(), (note, context) -> {
                    begun.countDown();
                    mayEnd.await();
                    return completing -> completing.defer(completed::incrementAndGet);
                })
                .build();
        Node node = Node.builder(store).inbox(calling).start();
        calling.process(
                Message.builder("notes").id("1").type("note").payload("x").build());
        await().atMost(Duration.ofSeconds(20)).until(() -> begun.getCount() == 0);
        AtomicBoolean stillInterrupted = new AtomicBoolean();
        Thread closer = new Thread(() -> {
            Thread.currentThread().interrupt();
            node.close();
            stillInterrupted.set(Thread.currentThread().isInterrupted());
        });
        closer.start();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> List.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
                        .contains(closer.getState()));
        mayEnd.countDown();
        closer.join(20_000);

        assertThat(completed).hasValue(1);
        assertThat(store.work("calling")).isEmpty();
        assertThat(stillInterrupted).isTrue();
    }

    @Test
    void closingANodeEndsNoLeaseOfAnotherNodeThatHasTheSameInbox() {
        InMemoryStore store = InMemoryStore.create();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        List<Boolean> lost = new CopyOnWriteArrayList<>();
        Inbox<InMemoryContext> shared = Inbox.builder("shared", store)
                .handleExternal("note", PayloadDecoder.text(), (note, context) -> {
                    begun.countDown();
                    closed.await();
                    lost.add(context.isLeaseLost());
                    return Completion.nothing();
                })
                .build();
        try (Node node = Node.builder(store).inbox(shared).start()) {
            shared.process(
                    Message.builder("notes").id("1").type("note").payload("x").build());
            await().atMost(Duration.ofSeconds(20)).until(() -> begun.getCount() == 0);

            Node.builder(store).inbox(shared).start().close();
            closed.countDown();

            await().atMost(Duration.ofSeconds(20))
                    .until(() -> store.work("shared").isEmpty());
            assertThat(lost).containsExactly(false);
            assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);
        }
    }

    @Test
    @Tag("B11")
    void handlerThatNoInterruptEndsKeepsNeitherItsDeliveryThreadNorItsThreadFromOthers() {
        InMemoryStore store = InMemoryStore.create();
        AtomicBoolean end = new AtomicBoolean();
        List<String> done = new CopyOnWriteArrayList<>();
        Inbox<InMemoryContext> hanging = Inbox.builder("socket", store)
                .handleExternal("note", PayloadDecoder.text(), (note, context) -> {
                    while (note.equals("hangs") && !end.get()) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    done.add(note);
                    return Completion.nothing();
                })
                .workPartitions(1)
                .lease(Duration.ofSeconds(1))
                .externalTimeout(Duration.ofMillis(1))
                .retry(RetryPolicy.never())
                .build();
        try (Node node = Node.builder(store)
                .inbox(hanging)
                .leaseWorkers(1)
                .pollInterval(Duration.ofMillis(50))
                .start()) {
            for (String id : List.of("hangs", "other")) {
                hanging.process(
                        Message.builder("notes").id(id).type("note").payload(id).build());
            }

            await().atMost(Duration.ofSeconds(20)).until(() -> done.equals(List.of("other")));
            assertThat(leaseThreads()).isEqualTo(2);
            assertThat(node.failure()).isNull();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> store.deadLetters("socket").size() == 1);

            end.set(true);
            await().atMost(Duration.ofSeconds(20)).until(() -> leaseThreads() == 1);
            assertThat(store.deadLetters("socket")).hasSize(1);
            assertThat(store.work("socket")).isEmpty();
        }
    }

    private static long leaseThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("pigeonhole-lease-worker"))
                .count();
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).collect(Collectors.toSet());
    }

    @Test
    void nodeWithoutWorkersLeavesTheWorkToOthers() {
        AtomicInteger looks = new AtomicInteger();
        try (Node node = new NodeBuilder(() -> {}, consumers -> {
                    looks.incrementAndGet();
                    return List.of();
                })
                .inbox(inbox)
                .workers(0)
                .start()) {
            assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);
        }
        assertThat(looks).hasValue(0);
    }

    @Test
    void numbersOfWorkersThatCannotBeAreRefused() {
        NodeBuilder negative = new NodeBuilder(() -> {}, consumers -> List.of()).workers(-1);
        NodeBuilder hasty = new NodeBuilder(() -> {}, consumers -> List.of()).pollInterval(Duration.ofMillis(49));

        assertThatThrownBy(negative::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(hasty::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("pollInterval 49 ms");
    }
}
