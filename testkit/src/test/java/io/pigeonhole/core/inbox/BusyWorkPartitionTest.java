package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.node.Circuit;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import io.pigeonhole.testkit.memory.InMemoryTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Somebody else works for long on messages whose ordering keys share a work partition of the database with those that come. */
@Tag("C1")
class BusyWorkPartitionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final InMemoryStore store = InMemoryStore.create();
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .order(KeyOrder.SKIP_DEAD_LETTERS)
            .workPartitions(2)
            .concurrentDuplicateTimeout(Duration.ofMillis(1))
            .handle("payment", PayloadDecoder.text(), (payload, context) -> context.defer(() -> effects.add(payload)))
            .build();

    private static Message message(String key, String payload) {
        return Message.builder("queue")
                .id(payload)
                .type("payment")
                .orderingKey(key)
                .payload(payload)
                .build();
    }

    /** Another process at work in the work partition of a message. */
    private InboxTransaction<InMemoryContext> otherAtWork(Message message) {
        return otherAtWork(message, inbox.registered());
    }

    private InboxTransaction<InMemoryContext> otherAtWork(Message message, RegisteredConsumer consumer) {
        InboxTransaction<InMemoryContext> other = store.begin(Duration.ofMinutes(1));
        int workPartition =
                consumer.workPartitionOf(message, Envelope.of(message, consumer).key());
        other.lock(consumer, List.of(workPartition), Duration.ofSeconds(1));
        return other;
    }

    @Test
    void messagesOfAWorkPartitionThatAnotherTransactionIsAtWorkInAreBusyAndTheOthersAreProcessed() {
        try (InboxTransaction<InMemoryContext> other = otherAtWork(message("a", "a1"))) {
            assertThat(inbox.process(
                            List.of(message("a", "a1"), message("d", "d1"), message("a", "a2"), message("d", "d2"))))
                    .satisfiesExactly(
                            held -> assertThat(((Outcome.Busy) held).why()).contains("work partition"),
                            free -> assertThat(free).isEqualTo(new Outcome.Processed()),
                            held -> assertThat(((Outcome.Busy) held).why()).contains("work partition"),
                            free -> assertThat(free).isEqualTo(new Outcome.Processed()));
            other.commit();
        }
        assertThat(inbox.process(List.of(message("a", "a1"), message("a", "a2"))))
                .containsOnly(new Outcome.Processed());
        assertThat(effects).containsExactly("d1", "d2", "a1", "a2");
    }

    @Test
    void workPartitionThatAnotherTransactionIsAtWorkInOpensNoCircuit() throws Exception {
        InMemoryBroker broker = InMemoryBroker.create();
        Set<Circuit> circuits = new ConcurrentSkipListSet<>();
        Set<SourceState> states = new ConcurrentSkipListSet<>();
        try (Node node =
                Node.builder(store).source(broker.source(inbox, "queue")).start()) {
            try (InboxTransaction<InMemoryContext> other = otherAtWork(message("a", "a1"))) {
                broker.send("queue", message("a", "a1"));
                await().during(Duration.ofMillis(500)).atMost(PATIENCE).until(() -> {
                    circuits.add(node.circuit());
                    states.add(node.sources().get(0).state());
                    return true;
                });
                broker.send("queue", message("d", "d1"));
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects).containsExactly("d1"));
                other.commit();
            }
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects).containsExactly("d1", "a1"));
        }
        assertThat(circuits).containsExactly(Circuit.CLOSED);
        assertThat(states).doesNotContain(SourceState.WAITING_FOR_STORE);
    }

    private static Message at(Watermark owner, long offset, String key) {
        return at(owner, offset, key, null);
    }

    private static Message at(Watermark owner, long offset, String key, @Nullable String id) {
        LogPartition partition = owner.partition();
        return Message.builder(partition.source())
                .id(id == null ? null : MessageId.of(id))
                .type("payment")
                .orderingKey(key)
                .payload(partition.partition() + "@" + offset)
                .logPosition(new LogPosition(owner.log(), partition.partition(), offset, 3, owner.assignment(), offset))
                .build();
    }

    @Test
    void sameMessageInTwoPartitionsIsProcessedWhereNothingBusyIsBeforeIt() {
        Inbox<InMemoryContext> log = Inbox.builder("log with ids", store)
                .deduplication(Deduplication.HYBRID)
                .ids(IdForm.OPAQUE)
                .concurrentDuplicateTimeout(Duration.ofMillis(1))
                .handle(
                        "payment",
                        PayloadDecoder.text(),
                        (payload, context) -> context.defer(() -> effects.add(payload)))
                .build();
        Watermark first = log.forSources().beginAt(log.forSources().acquire(new LogPartition("queue", 0), "log"), 0);
        Watermark second = log.forSources().beginAt(log.forSources().acquire(new LogPartition("queue", 1), "log"), 0);
        List<Message> messages =
                List.of(at(first, 0, "a", "busy"), at(first, 1, "a", "same"), at(second, 0, "b", "same"));
        try (InMemoryTransaction other = store.transaction()) {
            assertThat(log.claim(messages.get(0), store.ledger(other))).isTrue();
            assertThat(log.process(messages))
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.BUSY, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
        }
        assertThat(log.process(messages.subList(0, 2)))
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.DUPLICATE);
        assertThat(effects).containsExactly("1@0", "0@0");
    }

    @ParameterizedTest
    @EnumSource(
            value = Deduplication.class,
            names = {"WATERMARKS", "HYBRID"})
    void watermarkDoesNotPassAMessageOfABusyWorkPartition(Deduplication by) {
        Inbox<InMemoryContext> log = Inbox.builder("log " + by, store)
                .deduplication(by)
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .workPartitions(2)
                .concurrentDuplicateTimeout(Duration.ofMillis(1))
                .handle(
                        "payment",
                        PayloadDecoder.text(),
                        (payload, context) -> context.defer(() -> effects.add(payload)))
                .build();
        Watermark first = log.forSources().beginAt(log.forSources().acquire(new LogPartition("queue", 0), "log"), 0);
        Watermark second = log.forSources().beginAt(log.forSources().acquire(new LogPartition("queue", 1), "log"), 0);
        List<Message> messages = List.of(at(first, 0, "d"), at(first, 1, "a"), at(first, 2, "d"), at(second, 0, "d"));
        try (InboxTransaction<InMemoryContext> other = otherAtWork(messages.get(1), log.registered())) {
            assertThat(log.process(messages))
                    .extracting(Outcome::kind)
                    .containsExactly(
                            Outcome.Kind.PROCESSED, Outcome.Kind.BUSY, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
            other.commit();
        }
        assertThat(log.process(messages.subList(1, 3))).containsOnly(new Outcome.Processed());
        assertThat(effects).containsExactly("0@0", "1@0", "0@1", "0@2");
    }
}
