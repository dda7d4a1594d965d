package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.testkit.contract.BrokerFixture.Ability;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/**
 * What the tests of a source begin with: a queue without messages, and a store with crash points around it. The payload of
 * a message is the effect that its handler writes.
 */
abstract class SourceLab<C extends HandlerContext> {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final String TYPE = "note";

    private final Supplier<BrokerFixture> brokers;
    private final Supplier<StoreFixture<C>> stores;
    private final List<Node> nodes = new ArrayList<>();

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    BrokerFixture broker;

    @SuppressWarnings("NullAway.Init")
    BrokerQueue queue;

    @SuppressWarnings("NullAway.Init")
    StoreFixture<C> fixture;

    @SuppressWarnings("NullAway.Init")
    InboxStore<C> store;

    @SuppressWarnings("NullAway.Init")
    CrashPlan plan;

    @SuppressWarnings("NullAway.Init")
    String consumer;

    SourceLab(Supplier<BrokerFixture> brokers, Supplier<StoreFixture<C>> stores) {
        this.brokers = brokers;
        this.stores = stores;
    }

    @BeforeEach
    void open() {
        fixture = stores.get();
        broker = brokers.get();
        queue = broker.queue();
        plan = CrashPlan.none();
        store = new CrashingStore<>(fixture.store(), plan);
        consumer = InboxLab.randomName();
    }

    @AfterEach
    void close() {
        plan.calm();
        closeNodes();
        broker.close();
        fixture.close();
    }

    /** A test where the broker can do that, and none where it cannot. */
    Stream<DynamicTest> where(Ability ability, Executable test) {
        return broker.abilities().contains(ability)
                ? Stream.of(DynamicTest.dynamicTest("where the broker can do " + ability, StoreLab.bounded(test)))
                : Stream.empty();
    }

    /** An inbox whose handler writes the payload as its effect. */
    Inbox<C> writing() {
        return builder().handle(TYPE, PayloadDecoder.text(), this::write).build();
    }

    void write(String payload, C context) {
        fixture.write(context, payload);
    }

    InboxBuilder<C> builder() {
        return Inbox.builder(consumer, store).deduplication(broker.deduplication());
    }

    /** A source of the queue that runs in a node without workers. */
    Source run(Inbox<C> inbox) {
        Source source = queue.source(inbox);
        nodes.add(Node.builder(store).source(source).workers(0).start());
        return source;
    }

    void closeNodes() {
        nodes.forEach(Node::close);
        nodes.clear();
    }

    static Message message(String payload) {
        return message(Ids.opaque(), payload);
    }

    static Message message(String id, String payload) {
        return Message.builder("sent").id(id).type(TYPE).payload(payload).build();
    }

    /** Payloads {@code 0}, {@code 1} and so on, with the payload modulo the number of keys as ordering key. */
    static List<Message> keyed(int count, int keys) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(Message.builder("sent")
                    .id(Ids.opaque())
                    .type(TYPE)
                    .orderingKey("key " + i % keys)
                    .payload("" + i)
                    .build());
        }
        return messages;
    }

    static List<String> payloads(List<Message> messages) {
        return InboxLab.payloads(messages);
    }

    void awaitEffects(int count) {
        await().atMost(PATIENCE).until(() -> fixture.effects().size() >= count);
    }

    /**
     * Each message's effect is there once, and the broker, asked when nobody takes messages, has none left. A broker may
     * lose the last acknowledgements of a connection that ends, as quorum queues do under load: then it delivers those
     * messages again, and they must be duplicates.
     */
    void assertAllTookEffectOnce(List<Message> messages) {
        awaitEffects(messages.size());
        takeTheRest(writing());
        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(payloads(messages));
        assertNothingIsLeft();
    }

    /** What was sent last may have overtaken duplicates: runs sources until nothing is left. */
    void takeTheRest(Inbox<C> inbox) {
        AtomicReference<Duration> patience = new AtomicReference<>(Duration.ofSeconds(1));
        await().atMost(PATIENCE).pollDelay(Duration.ZERO).until(() -> {
            closeNodes();
            boolean rest = !becomesEmpty(Duration.ofMillis(200));
            if (rest) {
                run(inbox);
                becomesEmpty(patience.getAndUpdate(before -> before.multipliedBy(2)));
            }
            return !rest;
        });
    }

    /** Whether the broker has nothing left within some time; it may count running sources as something. */
    private boolean becomesEmpty(Duration patience) {
        try {
            await().pollDelay(Duration.ZERO).atMost(patience).until(() -> queue.left(consumer) == 0);
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }

    void assertNothingIsLeft() {
        closeNodes();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(queue.left(consumer)).isZero());
    }

    StoredMessage awaitDeadLetter() {
        await().atMost(PATIENCE).until(() -> !fixture.deadLetters(consumer).isEmpty());
        List<StoredMessage> letters = fixture.deadLetters(consumer);
        assertThat(letters).hasSize(1);
        return letters.get(0);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
