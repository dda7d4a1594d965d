package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/** What the tests of a store begin with: a store, a consumer, and messages that nobody has seen. */
abstract class StoreLab<C extends HandlerContext> {
    static final Duration IDLE_LIMIT = Duration.ofMinutes(1);
    static final Duration LONG = Duration.ofSeconds(20);
    static final Duration SHORT = Duration.ofMillis(50);

    private final Supplier<StoreFixture<C>> fixtures;

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    StoreFixture<C> fixture;

    @SuppressWarnings("NullAway.Init")
    InboxStore<C> store;

    @SuppressWarnings("NullAway.Init")
    RegisteredConsumer consumer;

    @SuppressWarnings("NullAway.Init")
    Threads threads;

    StoreLab(Supplier<StoreFixture<C>> fixtures) {
        this.fixtures = fixtures;
    }

    @BeforeEach
    void open() {
        fixture = fixtures.get();
        store = fixture.store();
        threads = new Threads();
        consumer = register();
    }

    /** A test where the database ends transactions that are idle for too long, and none where it does not. */
    Stream<DynamicTest> whereIdleTransactionsEnd(Executable test) {
        return fixture.endsIdleTransactions()
                ? Stream.of(
                        DynamicTest.dynamicTest("where the database has a limit for idle transactions", bounded(test)))
                : Stream.empty();
    }

    /** A dynamic test has no limit from JUnit: one that hangs must fail. */
    static Executable bounded(Executable test) {
        return () -> Assertions.assertTimeoutPreemptively(Duration.ofMinutes(4), test);
    }

    @AfterEach
    void close() {
        threads.close();
        fixture.close();
    }

    RegisteredConsumer register() {
        return store.register(new ConsumerRegistration(randomName(), IdForm.TIME_ORDERED));
    }

    static String randomName() {
        return "contract " + UUID.randomUUID();
    }

    InboxTransaction<C> begin() {
        return store.begin(IDLE_LIMIT);
    }

    /** Messages of both forms of keys. */
    static Message message(int number) {
        return message(number % 2 == 0 ? Ids.timeOrdered(Ids.now().plusSeconds(1)) : Ids.opaque());
    }

    static Message message(String id) {
        return Message.builder("notes")
                .id(id)
                .type("note")
                .payload("payload of " + id)
                .build();
    }

    MessageKey keyOf(Message message) {
        if (message.id() == null) {
            throw new IllegalArgumentException("this test needs an id");
        }
        return consumer.keys().keyOf(message.source(), message.id());
    }

    MessageKey key(int number) {
        return keyOf(message(number));
    }

    List<MessageKey> keys(int count) {
        List<MessageKey> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(key(i));
        }
        keys.sort(null);
        return keys;
    }

    Claim claim(InboxTransaction<C> transaction, MessageKey... keys) {
        return transaction.claim(consumer, List.of(keys), LONG);
    }

    /** Claims in a transaction of its own. */
    Claim claimed(MessageKey... keys) {
        try (InboxTransaction<C> transaction = begin()) {
            Claim claim = claim(transaction, keys);
            transaction.commit();
            return claim;
        }
    }

    ParkedMessage parked(Message message) {
        return new ParkedMessage(keyOf(message), message, Duration.ofHours(1), attempt());
    }

    DeadLetter dead(Message message, DeadReason reason, boolean claimed) {
        return new DeadLetter(keyOf(message), message, reason, "for a test", claimed, claimed ? attempt() : null);
    }

    static FailedAttempt attempt() {
        return new FailedAttempt(1, "node", Duration.ofMillis(5), "java.lang.Exception", "it failed", "at a line");
    }

    /** An effect needs a context, a context a message. */
    C context(InboxTransaction<C> transaction, Message message) {
        return transaction.context(consumer, keyOf(message), message, 1);
    }
}
