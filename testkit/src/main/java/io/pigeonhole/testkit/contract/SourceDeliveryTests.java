package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.contract.BrokerFixture.Ability;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Messages come as they were sent, and take effect once. */
abstract class SourceDeliveryTests<C extends HandlerContext> extends SourceLab<C> {
    private static final String MARK = "\u00e4 \u20ac";

    private final List<Message> received = Collections.synchronizedList(new ArrayList<>());

    SourceDeliveryTests(Supplier<BrokerFixture> brokers, Supplier<StoreFixture<C>> stores) {
        super(brokers, stores);
    }

    private Inbox<C> receiving() {
        return builder()
                .handle(TYPE, PayloadDecoder.bytes(), (payload, context) -> {
                    received.add(context.message());
                    fixture.write(context, hex(payload));
                })
                .build();
    }

    @Test
    void everyMessageTakesEffectOnceAndIsAcknowledged() {
        List<Message> messages = keyed(500, 20);
        queue.send(messages.subList(0, 250));
        run(writing());
        queue.send(messages.subList(250, 500));
        assertAllTookEffectOnce(messages);
    }

    @Test
    void messageComesAsItWasSent() {
        Message sent = Message.builder("sent")
                .id("id " + MARK + Ids.opaque())
                .type(TYPE)
                .orderingKey(broker.abilities().contains(Ability.ANY_KEY) ? "key " + MARK : "key-1")
                .contentType("application/x-note")
                .headers(new Headers(List.of(new Header("colour", MARK.getBytes(StandardCharsets.UTF_8)))))
                .payload(MARK.repeat(1_000))
                .build();
        queue.send(List.of(sent));
        run(receiving());
        awaitEffects(1);
        Message message = received.get(0);
        assertThat(message.id()).isEqualTo(sent.id());
        assertThat(message.source()).isEqualTo(queue.name());
        assertThat(message.type()).isEqualTo(TYPE);
        assertThat(message.orderingKey()).isEqualTo(sent.orderingKey());
        assertThat(message.contentType()).isEqualTo("application/x-note");
        assertThat(message.payload()).isEqualTo(sent.payload());
        assertThat(message.isTombstone()).isFalse();
        assertThat(message.origin()).isNotNull();
        assertThat(message.headers().list()).contains(new Header("colour", MARK.getBytes(StandardCharsets.UTF_8)));
    }

    @TestFactory
    Stream<DynamicTest> bytesComeAsTheyWereSent() {
        return where(Ability.ANY_BYTES, () -> {
            byte[] bytes = {0, (byte) 0xff, (byte) 0xc3, 0x28, 0};
            queue.send(List.of(Message.builder("sent")
                    .id(Ids.opaque())
                    .type(TYPE)
                    .headers(new Headers(List.of(new Header("odd", bytes))))
                    .payload(bytes)
                    .build()));
            run(receiving());
            awaitEffects(1);
            assertThat(fixture.effects()).containsExactly(hex(bytes));
            assertThat(received.get(0).headers().list()).contains(new Header("odd", bytes));
        });
    }

    @TestFactory
    Stream<DynamicTest> tombstoneIsNoEmptyPayload() {
        return where(Ability.TOMBSTONES, () -> {
            queue.send(List.of(
                    Message.builder("sent")
                            .id("t")
                            .type(TYPE)
                            .orderingKey("k")
                            .payload((byte[]) null)
                            .build(),
                    Message.builder("sent")
                            .id("e")
                            .type(TYPE)
                            .orderingKey("k")
                            .payload("")
                            .build()));
            run(receiving());
            awaitEffects(2);
            assertThat(received).extracting(Message::isTombstone).containsExactlyInAnyOrder(true, false);
        });
    }

    @TestFactory
    Stream<DynamicTest> messageThatIsSentTwiceTakesEffectOnce() {
        return where(Ability.DUPLICATES_OF_PRODUCERS, () -> {
            List<Message> messages = keyed(100, 7);
            queue.send(messages);
            run(writing());
            queue.send(messages);
            List<Message> last = List.of(message("last"));
            queue.send(last);
            await().atMost(PATIENCE).until(() -> fixture.effects().contains("last"));
            List<Message> all = new ArrayList<>(messages);
            all.addAll(last);
            takeTheRest(writing());
            assertAllTookEffectOnce(all);
        });
    }

    @TestFactory
    Stream<DynamicTest> messagesOfAKeyTakeEffectInTheOrderOfTheirSending() {
        return where(Ability.ORDER_OF_KEYS, () -> {
            int keys = 7;
            queue.send(keyed(400, keys));
            run(writing());
            awaitEffects(400);
            for (int key = 0; key < keys; key++) {
                int wanted = key;
                assertThat(fixture.effects().stream().map(Integer::valueOf).filter(payload -> payload % keys == wanted))
                        .isSorted();
            }
        });
    }

    @Test
    void twoSourcesOfAConsumerShareItsMessages() {
        run(writing());
        run(writing());
        List<Message> messages = keyed(500, 40);
        queue.send(messages);
        assertAllTookEffectOnce(messages);
    }

    @Test
    void parkedMessageIsAcknowledgedAndHoldsUpNothing() {
        List<Message> messages = new ArrayList<>(keyed(50, 5));
        Message bad = message("bad");
        messages.add(20, bad);
        queue.send(messages);
        run(builder()
                .handle(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    write(payload, context);
                    if (payload.equals("bad")) {
                        throw new IllegalStateException("not now");
                    }
                })
                .build());
        awaitEffects(50);
        await().atMost(PATIENCE).until(() -> !fixture.parked(consumer).isEmpty());
        assertThat(fixture.parked(consumer)).extracting(StoredMessage::id).containsExactly(bad.id());
        messages.remove(bad);
        assertAllTookEffectOnce(messages);
    }
}
