package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.retry.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** What the tests of everything that follows a delivery begin with: handlers that fail until a certain attempt. */
abstract class FlowLab<C extends HandlerContext> extends InboxLab<C> {
    static final Duration LATER = Duration.ofMinutes(10);
    static final RetryPolicy RETRY = RetryPolicy.fixed(LATER).jitter(0);

    /** Each run of a handler: the payload and the attempt. */
    final List<String> runs = Collections.synchronizedList(new ArrayList<>());

    private final Map<String, Integer> failures = new ConcurrentHashMap<>();

    FlowLab(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** Messages with this payload fail so many times. */
    void fail(String payload, int times) {
        failures.put(payload, times);
    }

    /** Writes the payload, and then fails if it has to. */
    void run(String payload, C context) {
        runs.add(payload + " " + context.attempt());
        fixture.write(context, payload);
        failIfItMust(payload, context);
    }

    void failIfItMust(String payload, HandlerContext context) {
        if (context.attempt() <= failures.getOrDefault(payload, 0)) {
            throw new IllegalStateException("no " + payload + " " + context.attempt());
        }
    }

    InboxBuilder<C> flow() {
        return builder(this::run).retry(RETRY);
    }

    InboxBuilder<C> ordered(KeyOrder order) {
        return flow().order(order).workPartitions(2);
    }

    static Message ofKey(String orderingKey, String payload) {
        return typed(orderingKey, TYPE, payload);
    }

    static Message typed(String orderingKey, String type, String payload) {
        return Message.builder("notes")
                .id(Ids.opaque())
                .type(type)
                .orderingKey(orderingKey)
                .payload(payload)
                .build();
    }

    /** Messages whose ordering keys are the first letters of their payloads. */
    static List<Message> keyed(String... payloads) {
        return List.of(payloads).stream()
                .map(payload -> ofKey(payload.substring(0, 1), payload))
                .toList();
    }

    int workLater(Inbox<C> inbox) {
        fixture.advance(LATER);
        return inbox.work();
    }

    List<String> parked() {
        return fixture.parked(consumer).stream().map(FlowLab::text).toList();
    }

    List<String> dead() {
        return fixture.deadLetters(consumer).stream()
                .map(letter -> text(letter) + " " + letter.reason())
                .toList();
    }

    /** The effects of one ordering key, in the order of their writing. */
    List<String> effectsOf(String orderingKey) {
        return fixture.effects().stream()
                .filter(effect -> effect.startsWith(orderingKey))
                .toList();
    }

    private static String text(StoredMessage message) {
        return new String(HexFormat.of().parseHex(Objects.requireNonNull(message.payload())), StandardCharsets.UTF_8);
    }

    static MessageKey keyOf(Inbox<?> inbox, Message message) {
        return inbox.registered().keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
    }
}
