package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.delivery.DeliveryGroup;
import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Every message comes to an end, whatever the application throws from whichever of its functions. */
@Tag("B1")
@Tag("B2")
@Tag("B3")
abstract class ThrowableTests<C extends HandlerContext> extends FlowLab<C> {
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final int ATTEMPTS = 2;
    private static final RetryPolicy POLICY = RETRY.maxAttempts(ATTEMPTS);
    private static final Map<String, Thrown> KINDS =
            Thrown.all().stream().collect(Collectors.toMap(Thrown::name, Function.identity()));
    private static final List<String> ALL =
            Thrown.all().stream().map(Thrown::name).toList();
    /** Of everything; each part has its test where a test does not try all of it. */
    private static final int PARTS = 8;

    private final BooleanSupplier everything;

    ThrowableTests(Supplier<StoreFixture<C>> fixtures, BooleanSupplier everything) {
        super(fixtures);
        this.everything = everything;
    }

    private List<String> names(int part) {
        return everything.getAsBoolean()
                ? ALL
                : IntStream.range(0, ALL.size())
                        .filter(i -> i % PARTS == part)
                        .mapToObj(ALL::get)
                        .toList();
    }

    /** One that spins, or hangs, must fail. */
    private static void bounded(Executable test) {
        Assertions.assertTimeoutPreemptively(LONGEST, () -> {
            try {
                test.execute();
            } catch (VirtualMachineError e) {
                // It would end the process of the tests.
                throw new AssertionError("an error of the virtual machine came out", e);
            }
        });
    }

    private static Thrown kind(String name) {
        Thrown kind = KINDS.get(name);
        if (kind == null) {
            throw new IllegalArgumentException(name);
        }
        return kind;
    }

    private static List<Message> one(String type, Collection<String> payloads) {
        return payloads.stream()
                .map(payload -> Message.builder("notes")
                        .id(Ids.opaque())
                        .type(type)
                        .payload(payload)
                        .build())
                .toList();
    }

    private void writeAndRaise(String payload, C context) {
        fixture.write(context, payload);
        kind(payload).raise();
    }

    /** Works until nothing can be left. */
    private void work(Inbox<C> inbox) {
        for (int i = 0; i <= ATTEMPTS; i++) {
            workLater(inbox);
            // What a handler left behind; the calling thread has it.
            Thread.interrupted();
        }
    }

    private void deliverAndWork(Inbox<C> inbox, List<Message> messages) {
        List<Outcome> outcomes = inbox.process(messages);
        Thread.interrupted();
        assertThat(outcomes).allMatch(Outcome::settled);
        work(inbox);
    }

    /** Those that return have had their effect, the others are dead letters. */
    private void assertAllEnded(List<Message> messages) {
        Map<Boolean, List<String>> byEnd = messages.stream()
                .map(InboxLab::payload)
                .collect(Collectors.partitioningBy(payload -> kind(payload).returns()));
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(byEnd.getOrDefault(true, List.of()));
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(fixture.deadLetters(consumer))
                .extracting(StoredMessage::id)
                .containsExactlyInAnyOrderElementsOf(messages.stream()
                        .filter(message -> !kind(payload(message)).returns())
                        .map(Message::id)
                        .toList());
    }

    private void assertAllEnd(Inbox<C> inbox, List<Message> messages) {
        bounded(() -> {
            deliverAndWork(inbox, messages);
            assertAllEnded(messages);
        });
    }

    @Test
    void whateverAHandlerThrowsIsTheFailureOfItsMessage() {
        List<String> names = names(0);
        assertAllEnd(builder(this::writeAndRaise).retry(POLICY).build(), one(TYPE, names));
    }

    @Test
    void whateverAHandlerOfListsThrowsIsTheFailureOfItsMessages() {
        List<String> names = names(1);
        Inbox<C> inbox = builder()
                .handleBatch(TYPE, PayloadDecoder.text(), list -> {
                    for (var each : list) {
                        writeAndRaise(each.payload(), each.context());
                    }
                })
                .retry(POLICY)
                .build();
        assertAllEnd(inbox, one(TYPE, names));
    }

    @Test
    void whateverADecoderThrowsEndsItsMessage() {
        List<String> names = names(2);
        assertAllEnd(decoding(), one(TYPE, names));
    }

    private Inbox<C> decoding() {
        PayloadDecoder<String> decoder = message -> {
            kind(payload(message)).raise();
            return payload(message);
        };
        return builder().handle(TYPE, decoder, this::write).retry(POLICY).build();
    }

    @Test
    void whateverIsThrownInAWorkerIsTheFailureOfItsMessage() {
        List<String> names = names(3);
        Inbox<C> inbox = builder(this::writeAndRaise).retry(POLICY).build();
        List<Message> messages = one(TYPE, names);
        bounded(() -> {
            inbox.receive(messages);
            work(inbox);
            assertAllEnded(messages);
        });
    }

    @Test
    void whateverIsThrownUnderALeaseIsTheFailureOfItsMessage() {
        List<String> names = names(4);
        PayloadDecoder<String> decoder = message -> {
            if (message.type() != null && message.type().equals("decoder")) {
                kind(payload(message)).raise();
            }
            return payload(message);
        };
        InboxBuilder<C> builder = builder()
                .handleExternal("decoder", decoder, (payload, context) -> context(payload))
                .handleExternal("handler", decoder, (payload, context) -> {
                    kind(payload).raise();
                    return context(payload);
                })
                .handleExternal("completion", decoder, (payload, context) -> {
                    Completion<C> completion = each -> writeAndRaise(payload, each);
                    return completion;
                })
                .retry(POLICY);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            messages.addAll(one(List.of("decoder", "handler", "completion").get(i % 3), List.of(names.get(i))));
        }
        assertAllEnd(builder.build(), messages);
    }

    private Completion<C> context(String payload) {
        return each -> fixture.write(each, payload);
    }

    @Test
    void whateverASuspectThrowsIsItsFailure() {
        List<String> names = names(5);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            messages.add(Message.builder("notes")
                    .id(Ids.opaque())
                    .type(TYPE)
                    .payload(names.get(i))
                    .deliveries(9)
                    .build());
        }
        assertAllEnd(builder(this::writeAndRaise).retry(POLICY).build(), messages);
    }

    @Test
    void whateverTheMethodsOfAnExceptionThrowChangesNothing() {
        List<String> names = names(6);
        Inbox<C> inbox = builder((payload, context) -> {
                    String[] parts = payload.split(":", 2);
                    throw new Hostile(
                            Hostile.Method.valueOf(parts[0]),
                            () -> kind(parts[1]).raise());
                })
                .retry(RetryPolicy.never())
                .build();
        List<Message> messages = new ArrayList<>();
        for (Hostile.Method method : Hostile.Method.values()) {
            messages.addAll(
                    one(TYPE, names.stream().map(name -> method + ":" + name).toList()));
        }
        bounded(() -> {
            List<Outcome> outcomes = inbox.process(messages);
            Thread.interrupted();
            assertThat(kinds(outcomes)).containsOnly(Kind.DEAD);
        });
        assertThat(fixture.deadLetters(consumer)).hasSize(messages.size());
    }

    @Test
    void whateverAListenerThrowsTheOutcomesStay() {
        List<String> names = names(7);
        AtomicInteger calls = new AtomicInteger();
        Inbox<C> inbox = builder((payload, context) -> {
                    fixture.write(context, payload);
                    if (payload.equals("fails")) {
                        throw new IllegalStateException("rolled back");
                    }
                })
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message message, Outcome outcome) {
                        kind(names.get(calls.getAndIncrement() % names.size())).raise();
                    }

                    @Override
                    public void onRollback(String name, int count, Throwable cause) {
                        throw new NoClassDefFoundError("a listener's own");
                    }
                })
                .build();
        inbox.forNodes().whenWorkIsStored(due -> {
            throw new OutOfMemoryError("a listener's own");
        });
        List<Message> messages = new ArrayList<>(one(TYPE, names));
        messages.addAll(one(TYPE, List.of("fails")));
        bounded(() -> {
            List<Outcome> outcomes = inbox.process(messages);
            Thread.interrupted();
            assertThat(kinds(outcomes.subList(0, names.size()))).containsOnly(Kind.PROCESSED);
            assertThat(outcomes.get(names.size()).kind()).isEqualTo(Kind.PARKED);
        });
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(names);
        assertThat(calls).hasValue(messages.size());
        assertThat(transactions()).isEqualTo(2);
    }

    @Test
    void whateverARetryPolicyThrowsItsMessageIsTriedAgainAndEnds() {
        List<String> names = names(0);
        AtomicInteger calls = new AtomicInteger();
        Inbox<C> inbox = builder((payload, context) -> {
                    throw new IllegalStateException("fails");
                })
                .retry(RetryPolicy.custom(attempts -> {
                            kind(names.get(calls.getAndIncrement() % names.size()))
                                    .raise();
                            return Duration.ofSeconds(Long.MAX_VALUE);
                        })
                        .maxAttempts(ATTEMPTS))
                .build();
        List<Message> messages = one(TYPE, names);
        bounded(() -> {
            deliverAndWork(inbox, messages);
            assertThat(fixture.parked(consumer)).isEmpty();
            assertThat(fixture.deadLetters(consumer)).hasSize(messages.size());
        });
    }

    @Test
    void deliveryThreadsLiveWhateverTheirHandlersThrow() {
        List<String> names = names(1);
        Inbox<C> inbox = builder(this::writeAndRaise).retry(POLICY).build();
        String name = randomName();
        DeliveryThreads threads =
                DeliveryThreads.start(name, inbox, DeliverySettings.standard().concurrency(2));
        Queue<Message> settled = new ConcurrentLinkedQueue<>();
        List<Message> messages = one(TYPE, names);
        try {
            bounded(() -> {
                DeliveryGroup group = threads.open();
                messages.forEach(message -> group.submit(message, outcome -> settled.add(message)));
                while (settled.size() < messages.size()) {
                    Thread.onSpinWait();
                }
            });
            assertThat(threads.isWaiting()).isFalse();
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().startsWith(name))
                    .hasSize(2);
        } finally {
            threads.close(Duration.ofSeconds(10));
        }
        bounded(() -> {
            work(inbox);
            assertAllEnded(messages);
        });
    }
}
