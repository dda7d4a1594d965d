package io.pigeonhole.pairs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.BrokerQueue;
import io.pigeonhole.testkit.contract.StoreFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pairs whose halves keep their contracts elsewhere: that they fit together. */
@Tag("full")
class RemainingPairsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MESSAGES = 200;

    @ParameterizedTest
    @MethodSource("io.pigeonhole.pairs.Pair#remaining")
    void everyMessageTakesEffectOnceAlthoughOneFailsAndSomeComeTwice(Pair pair) {
        try (StoreFixture<JdbcContext> store = pair.storeFixture();
                BrokerFixture broker = pair.brokerFixture()) {
            BrokerQueue queue = broker.queue();
            String consumer = "pair " + UUID.randomUUID();
            Inbox<JdbcContext> inbox = Inbox.builder(consumer, store.store())
                    .retry(RetryPolicy.fixed(Duration.ofMillis(100)))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        store.write(context, payload);
                        if (payload.equals("7") && context.attempt() == 1) {
                            throw new IllegalStateException("not at the first attempt");
                        }
                    })
                    .build();
            List<Message> messages = messages();
            queue.send(messages);
            queue.send(messages.subList(0, MESSAGES / 2));
            try (Node node =
                    Node.builder(store.store()).source(queue.source(inbox)).start()) {
                await().atMost(PATIENCE).until(() -> store.effects().size() >= MESSAGES);
                assertThat(node.failure()).isNull();
            }
            assertThat(store.effects())
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, MESSAGES)
                            .mapToObj(String::valueOf)
                            .toList());
            assertThat(store.parked(consumer)).isEmpty();
            assertThat(store.deadLetters(consumer)).isEmpty();
        }
    }

    private static List<Message> messages() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            messages.add(Message.builder("sent")
                    .id("id-" + UUID.randomUUID())
                    .type("note")
                    .orderingKey("key-" + i % 9)
                    .payload("" + i)
                    .build());
        }
        return messages;
    }
}
