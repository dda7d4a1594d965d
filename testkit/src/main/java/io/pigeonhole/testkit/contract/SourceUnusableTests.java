package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.contract.BrokerFixture.Ability;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What no handler can do anything with goes to the dead letters, with its bytes, and holds up nothing. */
abstract class SourceUnusableTests<C extends HandlerContext> extends SourceLab<C> {
    private static final int LIMIT = 1_000;

    SourceUnusableTests(Supplier<BrokerFixture> brokers, Supplier<StoreFixture<C>> stores) {
        super(brokers, stores);
    }

    private void assertDead(Message unusable, DeadReason reason) {
        Message good = message("good");
        queue.send(List.of(unusable, good));
        run(builder()
                .payloadLimit(LIMIT)
                .handle(TYPE, PayloadDecoder.text(), this::write)
                .build());
        StoredMessage letter = awaitDeadLetter();
        assertThat(letter.reason()).isEqualTo(reason);
        assertThat(letter.payload()).isEqualTo(hex(unusable.payload()));
        assertThat(letter.id()).isEqualTo(unusable.id());
        assertAllTookEffectOnce(List.of(good));
    }

    @Test
    void messageOfAnUnknownTypeIsADeadLetter() {
        Message unusable = Message.builder("sent")
                .id(Ids.opaque())
                .type("nobody's")
                .payload("what is this?")
                .build();
        assertDead(unusable, DeadReason.UNKNOWN_TYPE);
    }

    @Test
    void messageThatIsTooLargeIsADeadLetter() {
        assertDead(message("x".repeat(LIMIT + 1)), DeadReason.TOO_LARGE);
    }

    @TestFactory
    Stream<DynamicTest> messageThatCannotBeDecodedIsADeadLetter() {
        return where(Ability.ANY_BYTES, () -> {
            Message unusable = Message.builder("sent")
                    .id(Ids.opaque())
                    .type(TYPE)
                    .payload(new byte[] {'x', (byte) 0xc3, 0x28, 0})
                    .build();
            assertDead(unusable, DeadReason.UNDECODABLE);
        });
    }

    @TestFactory
    Stream<DynamicTest> messageWithoutAnIdIsADeadLetter() {
        return where(Ability.NO_ID, () -> {
            assertDead(Message.builder("sent").type(TYPE).payload("who am I?").build(), DeadReason.NO_ID);
        });
    }

    @TestFactory
    @Tag("A2")
    Stream<DynamicTest> messagesWithoutAnIdAreAllKeptAlthoughTheySayTheSame() {
        return where(Ability.NO_ID, () -> {
            Message unusable =
                    Message.builder("sent").type(TYPE).payload("who am I?").build();
            Message good = message("good");
            queue.send(List.of(unusable, unusable, unusable, good));
            run(writing());
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(fixture.deadLetters(consumer))
                            .extracting(StoredMessage::payload)
                            .hasSize(3)
                            .containsOnly(hex(unusable.payload())));
            assertAllTookEffectOnce(List.of(good));
        });
    }
}
