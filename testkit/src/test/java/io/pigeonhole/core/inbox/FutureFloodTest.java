package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.node.Circuit;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FutureFloodTest {
    private final InMemoryStore store = InMemoryStore.create();
    private final Set<String> processed = ConcurrentHashMap.newKeySet();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .lateLimit(2)
            .handle("payment", PayloadDecoder.text(), (payload, context) -> context.defer(() -> processed.add(payload)))
            .build();
    private final Instant end = Instant.now().plusSeconds(100);

    private static Message message(Instant created) {
        UUID random = UUID.randomUUID();
        long high = created.toEpochMilli() << 16 | 7L << 12 | (random.getMostSignificantBits() & 0xFFF);
        String id = new UUID(high, random.getLeastSignificantBits()).toString();
        return Message.builder("queue").id(id).type("payment").payload(id).build();
    }

    @Test
    @Tag("C3")
    void messagesFromTheFutureBeyondTheLimitAreHeldBackUntilTheLedgerHasTheirDays() {
        store.ledgerBounds(Instant.EPOCH, end);
        assertThat(inbox.process(List.of(message(end.plusSeconds(1)), message(end.plusSeconds(2)))))
                .allMatch(Outcome.Dead.class::isInstance);
        assertThat(inbox.process(List.of(message(end.plusSeconds(3)), message(end.minusSeconds(2)))))
                .satisfiesExactly(
                        held -> assertThat(((Outcome.Busy) held).why())
                                .contains("2 messages and more")
                                .contains("maintain()"),
                        inTime -> assertThat(inTime).isEqualTo(new Outcome.Processed()));
        assertThat(inbox.process(message(end.minusSeconds(1)))).isEqualTo(new Outcome.Processed());
        assertThat(store.deadLetters("payments"))
                .hasSize(2)
                .allMatch(letter -> letter.reason() == DeadReason.FROM_THE_FUTURE);
    }

    @Test
    @Tag("C3")
    void messagesPassAsSoonAsTheLedgerHasTheirDays() {
        AtomicLong nanos = new AtomicLong();
        MessageKey newest = MessageKey.firstOf(end.toEpochMilli());
        AtomicReference<MessageKey> ledger = new AtomicReference<>(newest);
        FutureFlood flood = new FutureFlood("payments", 1, nanos::get, ledger::get);
        flood.note(newest);
        Envelope first = Envelope.of(message(end.plusSeconds(1)), inbox.registered());
        Envelope second = Envelope.of(message(end.plusSeconds(101)), inbox.registered());
        assertThat(flood.heldBack(List.of(first, second))).containsOnlyKeys(first, second);

        ledger.set(MessageKey.firstOf(end.plusSeconds(100).toEpochMilli()));
        nanos.addAndGet(Duration.ofSeconds(11).toNanos());
        assertThat(flood.heldBack(List.of(first, second))).containsOnlyKeys(second);
        assertThat(flood.heldBack(List.of(first, second))).containsOnlyKeys(second);
    }

    @Test
    @Tag("C3")
    void endOfTheLedgerIsAskedForAtMostOnceInTenSecondsHoweverOftenMessagesAreHandedIn() {
        AtomicLong nanos = new AtomicLong();
        AtomicInteger asked = new AtomicInteger();
        MessageKey newest = MessageKey.firstOf(end.toEpochMilli());
        FutureFlood flood = new FutureFlood("payments", 1, nanos::get, () -> {
            asked.incrementAndGet();
            return null;
        });
        flood.note(newest);
        List<Envelope> ahead = List.of(Envelope.of(message(end.plusSeconds(1)), inbox.registered()));
        for (int second = 0; second < 20; second++) {
            assertThat(flood.heldBack(ahead)).containsOnlyKeys(ahead.get(0));
            assertThat(flood.heldBack(ahead)).containsOnlyKeys(ahead.get(0));
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        assertThat(asked).hasValue(2);
    }

    @Test
    @Tag("C3")
    void hourLaterAsManyMayBeFromTheFutureAgain() {
        AtomicLong nanos = new AtomicLong();
        MessageKey newest = MessageKey.firstOf(end.toEpochMilli());
        FutureFlood flood = new FutureFlood("payments", 1, nanos::get, () -> newest);
        List<Envelope> ahead = List.of(Envelope.of(message(end.plusSeconds(1)), inbox.registered()));

        assertThat(flood.heldBack(ahead)).isEmpty();
        flood.note(newest);
        assertThat(flood.heldBack(ahead)).containsOnlyKeys(ahead.get(0));

        nanos.addAndGet(Duration.ofMinutes(61).toNanos());
        assertThat(flood.heldBack(ahead)).isEmpty();
    }

    @Test
    @Tag("C3")
    void wrongClockOfOneProducerStopsNoOther() throws InterruptedException {
        store.ledgerBounds(Instant.EPOCH, end);
        InMemoryBroker broker = InMemoryBroker.create();
        try (Node node =
                Node.builder(store).source(broker.source(inbox, "queue")).start()) {
            for (int i = 0; i < 100; i++) {
                broker.send("queue", message(end.plusSeconds(1 + i)));
            }
            for (int i = 0; i < 50; i++) {
                broker.send("queue", message(end.minusSeconds(1 + i)));
            }
            await().untilAsserted(() -> assertThat(processed).hasSize(50));
            assertThat(node.circuit()).isEqualTo(Circuit.CLOSED);
        }
    }

    @Test
    @Tag("C3")
    void whatMustNotOvertakeAMessageFromTheFutureWaitsWithIt() {
        store.ledgerBounds(Instant.EPOCH, end);
        Inbox<InMemoryContext> ordered = Inbox.builder("ordered", store)
                .lateLimit(2)
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        ordered.process(List.of(message(end.plusSeconds(1)), message(end.plusSeconds(2))));

        assertThat(ordered.process(List.of(
                        ofKey("k", end.minusSeconds(1)),
                        ofKey("k", end.plusSeconds(3)),
                        ofKey("k", end.minusSeconds(2)),
                        ofKey("l", end.minusSeconds(3)))))
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.BUSY, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
    }

    static Stream<PigeonholeException> failuresOfMaintenance() {
        return Stream.of(
                new StoreException(ErrorClass.RETRY_NOW, "deadlock detected", null),
                new ConfigurationException("the clock of the database is 800 days ahead"));
    }

    @SuppressWarnings("unchecked") // A proxy of the interface that it is made for.
    @ParameterizedTest
    @MethodSource("failuresOfMaintenance")
    @Tag("C3")
    void storeThatCannotSayWhereTheLedgerEndsHoldsBackTheFloodOnly(PigeonholeException failure) {
        store.ledgerBounds(Instant.EPOCH, end);
        AtomicBoolean broken = new AtomicBoolean();
        InboxStore<InMemoryContext> breaking = (InboxStore<InMemoryContext>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {InboxStore.class}, (proxy, method, arguments) -> {
                    if (broken.get() && method.getName().equals("maintain")) {
                        throw failure;
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        Inbox<InMemoryContext> careful = Inbox.builder("careful", breaking)
                .lateLimit(1)
                .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        careful.process(message(end.plusSeconds(1)));
        broken.set(true);

        assertThat(careful.process(List.of(message(end.plusSeconds(2)), message(end.minusSeconds(1)))))
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
    }

    @Test
    @Tag("C3")
    void pausedConsumerSaysSoOfTheFloodEachTimeToo() {
        store.ledgerBounds(Instant.EPOCH, end);
        inbox.process(List.of(message(end.plusSeconds(1)), message(end.plusSeconds(2))));
        List<Message> ahead = List.of(message(end.plusSeconds(3)));

        store.paused("payments", true);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> inbox.process(ahead)).isInstanceOf(ConsumerPausedException.class);
        }
        store.paused("payments", false);
        assertThat(inbox.process(ahead)).extracting(Outcome::kind).containsExactly(Outcome.Kind.BUSY);
    }

    @Test
    @Tag("C3")
    void lateMessageThatTheDatabaseRefusesToKeepIsNoneFromTheFuture() {
        store.ledgerBounds(end.minusSeconds(20), end);
        CrashPlan plan = CrashPlan.none();
        Inbox<InMemoryContext> refused = Inbox.builder("refused", new CrashingStore<>(store, plan))
                .lateLimit(1)
                .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        for (int passage = 1; passage <= 2; passage++) {
            plan.at(CrashPoint.BEFORE_DEAD_LETTER, passage, () -> {
                throw new StoreException(ErrorClass.MESSAGE, "the table does not take it", null);
            });
        }

        assertThat(refused.process(List.of(message(end.minusSeconds(50)))))
                .satisfiesExactly(
                        outcome -> assertThat(((Outcome.Dead) outcome).reason()).isEqualTo(DeadReason.NOT_STORED));
        assertThat(refused.process(List.of(message(end.plusSeconds(1)))))
                .satisfiesExactly(
                        outcome -> assertThat(((Outcome.Dead) outcome).reason()).isEqualTo(DeadReason.FROM_THE_FUTURE));
    }

    private static Message ofKey(String orderingKey, Instant created) {
        Message message = message(created);
        return Message.builder("queue")
                .id(message.id())
                .type("payment")
                .orderingKey(orderingKey)
                .payload(message.payload())
                .build();
    }
}
