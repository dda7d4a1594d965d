package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.network.UnreliableProxy;
import io.pigeonhole.testkit.memory.InMemoryStore;
import io.pigeonhole.testkit.memory.InMemoryTransaction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A relay whose broker goes away, and comes back with all that it had confirmed. */
@Tag("full")
class KafkaRelayIT {
    private static final int KEYS = 50;
    private static final int EACH = 40;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final InMemoryStore store = InMemoryStore.create();
    private int next;

    private void append(int ofEachKey) {
        for (int i = 0; i < ofEachKey; i++, next++) {
            try (InMemoryTransaction transaction = store.transaction()) {
                for (int key = 0; key < KEYS; key++) {
                    transaction
                            .outbox()
                            .append(OutboxMessage.to("orders")
                                    .key("key " + key)
                                    .payload("" + next)
                                    .build());
                }
                transaction.commit();
            }
        }
    }

    @Test
    void drainsInOrderOnceTheBrokerIsBackAndCountsNoAttempt() {
        try (UnreliableProxy proxy = UnreliableProxy.before(0);
                EmbeddedKafka kafka = EmbeddedKafka.startBehind(directory, proxy.port())) {
            proxy.server(kafka.proxiedPort());
            kafka.createTopic("orders", 4);
            try (KafkaPublisher publisher =
                    KafkaPublisher.of(Map.of("bootstrap.servers", "127.0.0.1:" + proxy.port()), "orders")) {
                Relay relay = Relay.builder("orders", store, publisher)
                        .publishTimeout(Duration.ofSeconds(3))
                        .build();
                try (Node node = Node.builder(store).relay(relay).start()) {
                    append(EACH);
                    await().atMost(PATIENCE).until(() -> store.outbox("orders").isEmpty());
                    proxy.refuse();
                    append(EACH);
                    await().atMost(PATIENCE).until(() -> relay.problem().isPresent());
                    append(EACH);
                    assertThat(node.health().isHealthy()).isFalse();
                    assertThat(store.work(relay.consumer())).isEmpty();
                    proxy.admit();
                    await().atMost(PATIENCE).until(() -> store.outbox("orders").isEmpty());
                    await().atMost(PATIENCE).until(() -> node.health().isHealthy());
                }
                assertThat(relay.refused()).isZero();
                assertThat(store.deadLetters(relay.consumer())).isEmpty();
            }
            Map<String, List<Integer>> byKey = read(kafka);
            assertThat(byKey).hasSize(KEYS);
            byKey.values()
                    .forEach(numbers -> assertThat(numbers.stream().distinct())
                            .containsExactlyElementsOf(
                                    IntStream.range(0, 3 * EACH).boxed().toList()));
        }
    }

    private static Map<String, List<Integer>> read(EmbeddedKafka kafka) {
        Map<String, List<Integer>> byKey = new HashMap<>();
        Map<String, Object> config = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", "reader", "auto.offset.reset", "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of("orders"));
            await().atMost(PATIENCE).until(() -> {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    byKey.computeIfAbsent(OrderingKey.of(record.key()).toString(), key -> new ArrayList<>())
                            .add(Integer.parseInt(new String(record.value(), StandardCharsets.UTF_8)));
                }
                return byKey.values().stream()
                                .filter(each -> each.contains(3 * EACH - 1))
                                .count()
                        == KEYS;
            });
        }
        return byKey;
    }
}
