package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class WorkerTest {
    private static final long PATIENCE_SECONDS = 20;

    private final InMemoryFixture fixture = new InMemoryFixture();
    private final CrashPlan plan = CrashPlan.none();
    private final ExecutorService other = Executors.newSingleThreadExecutor(task -> new Thread(task, "other"));

    @AfterEach
    void close() {
        other.shutdownNow();
    }

    /** An inbox in a process of its own, as far as it knows. */
    private Inbox<InMemoryContext> process() {
        return Inbox.builder("notes", new CrashingStore<>(fixture.store(), plan))
                .handle("note", PayloadDecoder.text(), (payload, context) -> fixture.write(context, payload))
                .workPartitions(1)
                .crashLimit(1)
                .build();
    }

    private static int result(Future<Integer> work) {
        try {
            return work.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void workGoesOnWithWhatItLeavesForLeases() {
        Inbox.builder("notes", fixture.store())
                .handle("note", PayloadDecoder.text(), (payload, context) -> fixture.write(context, payload))
                .build()
                .receive(Message.builder("notes")
                        .id("1")
                        .type("note")
                        .payload("x")
                        .build());
        Inbox<InMemoryContext> external = Inbox.builder("notes", fixture.store())
                .handleExternal(
                        "note",
                        PayloadDecoder.text(),
                        (payload, context) -> (InMemoryContext within) -> fixture.write(within, payload))
                .build();

        assertThat(external.work()).isEqualTo(1);

        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    @Tag("C1")
    void threadThatLeavesAWorkPartitionTakesNoBeginningBackThatAnotherOfItsProcessStillNeeds() {
        Inbox<InMemoryContext> inbox = process();
        inbox.receive(Message.builder("notes").id("1").type("note").payload("x").build());
        AtomicInteger entries = new AtomicInteger();
        plan.always(CrashPoint.BEFORE_ENTER, () -> {
            if (Thread.currentThread().getName().equals("other") && entries.incrementAndGet() > 1) {
                throw new StoreUnavailableException("the test says so", null);
            }
        });
        // Between the beginning that the first thread notes and its batch.
        plan.at(CrashPoint.BEFORE_ENTER, 2, () -> result(other.submit(() -> workAsFarAsItGoes(inbox))));
        plan.at(CrashPoint.BEFORE_FLUSH, plan.passages(CrashPoint.BEFORE_FLUSH) + 1, () -> {
            throw new InternalError("the process dies");
        });
        assertThatThrownBy(inbox::work).hasMessage("the process dies");

        fixture.advance(Duration.ofMinutes(1));
        Inbox<InMemoryContext> next = process();
        next.work();
        next.work();

        assertThat(plan.passages(CrashPoint.AFTER_LEASE)).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("x");
    }

    private static int workAsFarAsItGoes(Inbox<InMemoryContext> inbox) {
        try {
            return inbox.work();
        } catch (RetryableException e) {
            return 0;
        }
    }

    /** A store that fails, and not as stores do, where the handler of one message was called. */
    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> failingAt(String poison) {
        return (InboxStore<InMemoryContext>) behind(InboxStore.class, fixture.store(), (of, ignored, begun) -> {
            boolean[] poisoned = {false};
            return !of.equals("begin")
                    ? begun
                    : behind(InboxTransaction.class, begun, (method, arguments, result) -> {
                        poisoned[0] |= method.equals("context") && isOf(poison, arguments);
                        if (method.equals("flush") && poisoned[0]) {
                            throw new ConfigurationException("the transaction was ended by a handler");
                        }
                        return result;
                    });
        });
    }

    private static boolean isOf(String payload, Object[] arguments) {
        return new String(((Message) arguments[2]).payload(), StandardCharsets.UTF_8).equals(payload);
    }

    @FunctionalInterface
    private interface Behind {
        Object result(String method, Object[] arguments, Object result);
    }

    private static Object behind(Class<?> type, Object target, Behind behind) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            try {
                return behind.result(method.getName(), arguments, method.invoke(target, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    /** A store that refuses one kind of call. */
    private InboxStore<InMemoryContext> refusing(String call) {
        return refusing(call, ErrorClass.UNKNOWN);
    }

    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> refusing(String call, ErrorClass errorClass) {
        return (InboxStore<InMemoryContext>) behind(InboxStore.class, fixture.store(), (method, arguments, result) -> {
            if (method.equals(call)) {
                throw new StoreException(errorClass, "somebody has locked the table", null);
            }
            return result;
        });
    }

    /** A store whose transactions refuse a step with such arguments. */
    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> refusing(String refused, Predicate<Object[]> which) {
        return (InboxStore<InMemoryContext>) behind(
                InboxStore.class,
                fixture.store(),
                (method, arguments, begun) -> method.equals("begin")
                        ? behind(InboxTransaction.class, begun, (step, given, result) -> {
                            if (step.equals(refused) && which.test(given)) {
                                throw new StoreException(ErrorClass.UNKNOWN, "a row of it is damaged", null);
                            }
                            return result;
                        })
                        : begun);
    }

    private InboxStore<InMemoryContext> refusingWorkPartition(int workPartition) {
        return refusing("take", arguments -> arguments[1].equals(workPartition));
    }

    private InboxStore<InMemoryContext> refusingWatermark(LogPartition partition) {
        return refusing("watermarks", arguments -> ((Collection<?>) arguments[1]).contains(partition));
    }

    @Test
    void workPartitionThatTheDatabaseRefusesKeepsNoOtherWaiting() {
        Inbox<InMemoryContext> inbox = inboxOfTwo(fixture.store());
        for (int refused = 0; refused < 2; refused++) {
            for (int i = 0; i < 20; i++) {
                inbox.receive(Message.builder("notes")
                        .id(refused + " " + i)
                        .type("note")
                        .payload(refused + " " + i)
                        .build());
            }
            Inbox<InMemoryContext> refusing = inboxOfTwo(refusingWorkPartition(refused));
            int before = fixture.effects().size();

            assertThatThrownBy(refusing::work).isInstanceOf(RetryableException.class);

            assertThat(fixture.effects()).hasSizeGreaterThan(before).doesNotHaveDuplicates();
        }
    }

    @Test
    void watermarkThatTheDatabaseRefusesStopsNoOtherPartition() {
        LogPartition refused = new LogPartition("notes", 0);
        LogPartition other = new LogPartition("notes", 1);
        Inbox<InMemoryContext> inbox = Inbox.builder("notes", refusingWatermark(refused))
                .deduplication(Deduplication.WATERMARKS)
                .handle("note", PayloadDecoder.text(), (payload, context) -> fixture.write(context, payload))
                .build();
        List<Message> messages = Stream.of(refused, other)
                .map(partition -> inbox.forSources().beginAt(inbox.forSources().acquire(partition, "log:0f1e2d3c"), 0))
                .flatMap(owner -> Stream.of(0, 1).map(offset -> recordOf(owner, offset)))
                .toList();

        assertThat(inbox.process(messages))
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.BUSY, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED, Outcome.Kind.PROCESSED);
        assertThat(inbox.forSources().heldBack()).contains("a row of it is damaged");
    }

    private static Message recordOf(Watermark owner, long offset) {
        LogPartition partition = owner.partition();
        return Message.builder(partition.source())
                .type("note")
                .payload(partition.partition() + "@" + offset)
                .logPosition(new LogPosition(owner.log(), partition.partition(), offset, 3, owner.assignment(), offset))
                .build();
    }

    private Inbox<InMemoryContext> inboxOfTwo(InboxStore<InMemoryContext> store) {
        return Inbox.builder("notes", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> fixture.write(context, payload))
                .workPartitions(2)
                .build();
    }

    private Inbox<InMemoryContext> on(InboxStore<InMemoryContext> store) {
        return Inbox.builder("notes", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> fixture.write(context, payload))
                .build();
    }

    @Test
    void workIsDoneAlthoughItCannotBeNotedThatItsProcessSurvivedIt() {
        Inbox<InMemoryContext> inbox = on(refusing("survived"));
        inbox.receive(Message.builder("notes").id("1").type("note").payload("x").build());

        assertThat(inbox.work()).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void workThatCannotBeLookedForCanBeTriedAgain() {
        Inbox<InMemoryContext> inbox = on(refusing("due", ErrorClass.RETRY_NOW));

        assertThatThrownBy(inbox::work)
                .isInstanceOf(RetryableException.class)
                .hasRootCauseMessage("somebody has locked the table");
    }

    /** Their decoders took so long together that the database might have ended the transaction, but it has not. */
    @Test
    void messagesBehindOneThatFailsAreNotLeftForLeasesAlthoughTheirDecodersTookLong() {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger leases = new AtomicInteger();
        plan.always(CrashPoint.BEFORE_LEASE, leases::incrementAndGet);
        Inbox<InMemoryContext> inbox = Inbox.builder("notes", new CrashingStore<>(fixture.store(), plan))
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .handlerTimeout(Duration.ofMillis(100))
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .handle(
                        "note",
                        payload -> PayloadDecoder.text().decode(payload) + never.await(60, TimeUnit.MILLISECONDS),
                        (text, context) -> {
                            if (text.startsWith("0") && context.attempt() == 1) {
                                throw new IllegalStateException("it fails");
                            }
                            fixture.write(context, text);
                        })
                .build();
        for (int i = 0; i < 3; i++) {
            inbox.receive(Message.builder("notes")
                    .id("" + i)
                    .type("note")
                    .orderingKey("k")
                    .payload("" + i)
                    .build());
        }

        inbox.work();

        assertThat(fixture.effects()).containsExactly("0false", "1false", "2false");
        assertThat(leases).hasValue(0);
    }

    /** As with a damaged page on which only some of it is. */
    @Test
    void workAboutWhichTheDatabaseSaysNothingIsLookedForInEachWorkPartition() {
        Inbox<InMemoryContext> inbox = on(refusing("due"));
        inbox.receive(Message.builder("notes").id("1").type("note").payload("x").build());

        assertThat(inbox.work()).isEqualTo(1);
        assertThat(inbox.work()).isZero();
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    @Tag("B2")
    void messageThatTheInboxFailsAtHoldsBackNoOtherOfItsWorkPartition() {
        Set<String> effects = new HashSet<>();
        Inbox<InMemoryContext> inbox = Inbox.builder("notes", failingAt("poison"))
                .handle("note", PayloadDecoder.text(), (payload, context) -> context.defer(() -> effects.add(payload)))
                .workPartitions(1)
                .build();
        inbox.receive(Stream.of("poison", "a", "b", "c")
                .map(text -> Message.builder("notes")
                        .id(text)
                        .type("note")
                        .payload(text)
                        .build())
                .toList());

        assertThatThrownBy(inbox::work).isInstanceOf(ConfigurationException.class);
        assertThat(effects).containsExactlyInAnyOrder("a", "b", "c");
    }

    /** It is the caller's in the end, and ends no wait of ours for a connection before. */
    @Test
    void interruptThatAHandlerLeavesIsNotMetByTheNextLook() {
        Set<String> effects = new HashSet<>();
        List<Boolean> interruptedLooks = new ArrayList<>();
        Inbox<InMemoryContext> inbox = Inbox.builder("notes", lookedAt(interruptedLooks))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    Thread.currentThread().interrupt();
                    context.defer(() -> effects.add(payload));
                })
                .build();
        inbox.receive(Message.builder("notes").id("1").type("note").payload("x").build());

        assertThat(inbox.work()).isEqualTo(1);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(interruptedLooks).hasSizeGreaterThan(1).doesNotContain(true);
        assertThat(effects).containsExactly("x");
    }

    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> lookedAt(List<Boolean> interruptedLooks) {
        return (InboxStore<InMemoryContext>) behind(InboxStore.class, fixture.store(), (method, arguments, result) -> {
            if (method.equals("due")) {
                interruptedLooks.add(Thread.currentThread().isInterrupted());
            }
            return result;
        });
    }

    /** Its effect outside is made: it is only to be noted. */
    @Test
    void externalHandlerThatReturnsTooLateIsNotCalledAgainWhereItsCompletionIsRefusedOnce() {
        AtomicInteger mails = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        Set<String> effects = new HashSet<>();
        Inbox<InMemoryContext> inbox = Inbox.builder("mails", refusingOnce(refused))
                .<String>handleExternal("mail", PayloadDecoder.text(), (payload, context) -> {
                    mails.incrementAndGet();
                    while (!Thread.interrupted()) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    return within -> within.defer(() -> effects.add(payload));
                })
                .externalTimeout(Duration.ofMillis(100))
                .lease(Duration.ofSeconds(3))
                .retry(RetryPolicy.never())
                .build();
        inbox.receive(Message.builder("mails").id("1").type("mail").payload("x").build());
        inbox.work();

        assertThat(refused).hasValue(1);
        assertThat(mails).hasValue(1);
        assertThat(effects).containsExactly("x");
        assertThat(Admin.of(fixture.adminStore())
                        .deadLetters(DeadLetterFilter.of("mails"), PageRequest.first(1))
                        .entries())
                .isEmpty();
    }

    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> refusingOnce(AtomicInteger refused) {
        return (InboxStore<InMemoryContext>) behind(
                InboxStore.class,
                fixture.store(),
                (of, ignored, begun) -> !of.equals("begin")
                        ? begun
                        : behind(InboxTransaction.class, begun, (method, arguments, result) -> {
                            if (method.equals("flush") && refused.compareAndSet(0, 1)) {
                                throw new StoreException(ErrorClass.RETRY_NOW, "a deadlock", null);
                            }
                            return result;
                        }));
    }
}
