package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the tests of an inbox begin with: a store with crash points around it, and messages that nobody has seen. The
 * payload of a message is the effect that its handler writes.
 */
abstract class InboxLab<C extends HandlerContext> {
    static final String TYPE = "note";
    private static final int MOST_DELIVERIES = 200;

    private final Supplier<StoreFixture<C>> fixtures;

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    StoreFixture<C> fixture;

    @SuppressWarnings("NullAway.Init")
    CrashPlan plan;

    @SuppressWarnings("NullAway.Init")
    InboxStore<C> store;

    @SuppressWarnings("NullAway.Init")
    String consumer;

    @SuppressWarnings("NullAway.Init")
    Threads threads;

    InboxLab(Supplier<StoreFixture<C>> fixtures) {
        this.fixtures = fixtures;
    }

    @BeforeEach
    void open() {
        fixture = fixtures.get();
        plan = CrashPlan.none();
        store = new CrashingStore<>(fixture.store(), plan);
        consumer = randomName();
        threads = new Threads();
    }

    @AfterEach
    void close() {
        threads.close();
        fixture.close();
    }

    static String randomName() {
        return "contract " + UUID.randomUUID();
    }

    /** An inbox whose handler writes the payload as its effect. */
    Inbox<C> writing() {
        return inbox(this::write);
    }

    void write(String payload, C context) {
        fixture.write(context, payload);
    }

    Inbox<C> inbox(Handler<String, C> handler) {
        return builder(handler).build();
    }

    InboxBuilder<C> builder(Handler<String, C> handler) {
        return builder().handle(TYPE, PayloadDecoder.text(), handler);
    }

    InboxBuilder<C> builder() {
        return Inbox.builder(consumer, store);
    }

    int transactions() {
        return plan.passages(CrashPoint.BEFORE_BEGIN);
    }

    /** A message whose id nobody has seen. */
    static Message message(String payload) {
        return message(Ids.opaque(), payload);
    }

    static Message message(String id, String payload) {
        return Message.builder("notes").id(id).type(TYPE).payload(payload).build();
    }

    /** Messages with ids of both forms and the payloads {@code 0}, {@code 1} and so on. */
    static List<Message> messages(int count) {
        List<Message> messages = new ArrayList<>();
        Instant now = Ids.now().plusSeconds(1);
        for (int i = 0; i < count; i++) {
            messages.add(message(i % 2 == 0 ? Ids.timeOrdered(now.plusMillis(i)) : Ids.opaque(), "" + i));
        }
        return messages;
    }

    static List<String> payloads(List<Message> messages) {
        return messages.stream().map(InboxLab::payload).toList();
    }

    static String payload(Message message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    static List<Outcome.Kind> kinds(List<Outcome> outcomes) {
        return outcomes.stream().map(Outcome::kind).toList();
    }

    /** Hands messages in as a broker does: those that are not settled come again. Gives the last outcome of each. */
    static List<Outcome> deliver(Inbox<?> inbox, List<Message> messages) {
        List<Outcome> outcomes = new ArrayList<>(inbox.process(messages));
        for (int i = 0; i < messages.size(); i++) {
            for (int delivery = 1; !outcomes.get(i).settled(); delivery++) {
                if (delivery == MOST_DELIVERIES) {
                    throw new AssertionError("never settled: " + messages.get(i) + ": " + outcomes.get(i));
                }
                outcomes.set(i, inbox.process(messages.get(i)));
            }
        }
        return outcomes;
    }
}
