package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A topic is deleted and made anew while a member stands still, as a process does that is stopped, or whose machine is. The new topic
 * has a record at the member's offset, so that Kafka itself finds nothing wrong.
 */
@Tag("F04")
class TopicMadeAnewIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LONGER_THAN_THE_GAP = Duration.ofSeconds(1);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedKafka kafka;

    private final InMemoryStore store = InMemoryStore.create();
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private volatile boolean still;
    private volatile boolean stands;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    private Inbox<InMemoryContext> inbox(String name, Deduplication by) {
        return Inbox.builder(name, store)
                .deduplication(by)
                .handle("test", PayloadDecoder.bytes(), (payload, context) -> {
                    String effect = new String(payload, UTF_8);
                    context.defer(() -> effects.add(effect));
                })
                .build();
    }

    private KafkaSource source(Inbox<InMemoryContext> inbox, KafkaTopic topic) {
        Map<String, Object> config =
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "auto.offset.reset", "earliest");
        return KafkaSource.builder(inbox, config, topic.name())
                .idFallback(IdFallback.TRANSPORT)
                .consumerFactory(values -> new KafkaConsumer<byte[], byte[]>(values) {
                    @Override
                    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                        while (still) {
                            stands = true;
                            LockSupport.parkNanos(1_000_000);
                        }
                        stands = false;
                        return super.poll(timeout);
                    }
                })
                .build();
    }

    private static void send(KafkaTopic topic, String text, int count) {
        IntStream.range(0, count).forEach(i -> topic.send(topic.record(null, "k", (text + " " + i).getBytes(UTF_8))));
    }

    private void makeAnewWhileTheMemberStandsStill(KafkaTopic topic) {
        still = true;
        await().until(() -> stands);
        long begun = System.nanoTime();
        topic.recreate();
        send(topic, "new", 6);
        await().until(() -> System.nanoTime() - begun > LONGER_THAN_THE_GAP.toNanos());
        still = false;
    }

    @Test
    void recordsOfTheNewTopicAreAllReadWhereIdsAreMadeOfPlaces() {
        try (KafkaTopic topic = KafkaTopic.create(kafka, "places", 1);
                KafkaSource source = source(inbox("places", Deduplication.IDS), topic)) {
            send(topic, "old", 3);
            source.start();
            await().atMost(PATIENCE).until(() -> effects.size() == 3);
            await().atMost(PATIENCE).until(() -> topic.committed("places").equals(topic.ends()));

            makeAnewWhileTheMemberStandsStill(topic);

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(effects)
                            .containsExactly(
                                    "old 0", "old 1", "old 2", "new 0", "new 1", "new 2", "new 3", "new 4", "new 5"));
            await().atMost(PATIENCE).until(() -> topic.committed("places").equals(topic.ends()));
        }
    }

    @Test
    void newTopicIsRefusedWhereAWatermarkIsOfTheOldOne() {
        try (KafkaTopic topic = KafkaTopic.create(kafka, "watermarks", 1);
                KafkaSource source = source(inbox("watermarks", Deduplication.WATERMARKS), topic)) {
            send(topic, "old", 3);
            source.start();
            await().atMost(PATIENCE).until(() -> effects.size() == 3);

            makeAnewWhileTheMemberStandsStill(topic);

            await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
            assertThat(source.failure())
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("forgetWatermarks");
            assertThat(effects).as("of the new one nothing is taken").containsExactly("old 0", "old 1", "old 2");
        }
    }
}
