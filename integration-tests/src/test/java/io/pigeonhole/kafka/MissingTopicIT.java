package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A topic that does not exist, on brokers that create none by themselves. */
@Tag("full")
@Tag("E5")
class MissingTopicIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** How much faster time goes for the sources, which look every half minute. */
    private static final int FASTER = 10;

    private static final AtomicInteger numbers = new AtomicInteger();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedKafka kafka;

    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final InMemoryStore store = InMemoryStore.create();
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final String name = "missing-" + numbers.incrementAndGet();

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    private Inbox<InMemoryContext> inbox(Deduplication deduplication) {
        return inbox(name, deduplication);
    }

    private Inbox<InMemoryContext> inbox(String consumer, Deduplication deduplication) {
        return Inbox.builder(consumer, store)
                .deduplication(deduplication)
                .handle("test", PayloadDecoder.bytes(), (payload, context) -> {
                    String effect = new String(payload, UTF_8);
                    context.defer(() -> effects.add(effect));
                })
                .build();
    }

    /** With the client's own settings: its topics are looked for again long before {@code metadata.max.age.ms}, while one is missing. */
    private KafkaSource start(Inbox<?> inbox, String protocol, String... topics) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", kafka.bootstrapServers());
        config.put("auto.offset.reset", "earliest");
        config.put("group.protocol", protocol);
        KafkaSource source = KafkaSource.builder(inbox, config, topics).build(() -> FASTER * System.nanoTime());
        toClose.add(source);
        source.start();
        return source;
    }

    private KafkaTopic create(String topic) {
        KafkaTopic created = KafkaTopic.create(kafka, topic, 1);
        toClose.add(created);
        return created;
    }

    private static void awaitState(KafkaSource source, SourceState state) {
        await().atMost(PATIENCE).until(() -> source.state() == state);
    }

    private static void assertOnlyMissing(KafkaSource source, String topic) {
        assertThat(source.problems())
                .singleElement()
                .asString()
                .contains("topic '" + topic + "' is not there: create it or correct the name");
    }

    @ParameterizedTest
    @CsvSource({"classic, IDS", "consumer, IDS", "classic, WATERMARKS", "consumer, WATERMARKS"})
    void missingTopicIsAProblemUntilItIsCreatedAndItsMessagesAreRead(String protocol, Deduplication deduplication) {
        KafkaSource source = start(inbox(deduplication), protocol, name);
        await().atMost(PATIENCE)
                .until(() -> source.problems().toString().contains("topic '" + name + "' is not there"));
        await().atMost(PATIENCE).untilAsserted(() -> assertOnlyMissing(source, name));
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);

        create(name).sendMany(10, 2);

        await().atMost(PATIENCE).until(() -> effects.size() == 10);
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
        assertThat(source.failure()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void oneMissingTopicOfTwoIsAProblemAndTheOtherIsRead(String protocol) {
        String there = name + "-there";
        create(there).sendMany(10, 2);
        KafkaSource source = start(inbox(Deduplication.IDS), protocol, there, name);

        await().atMost(PATIENCE).until(() -> effects.size() == 10);
        awaitState(source, SourceState.DEGRADED);
        assertOnlyMissing(source, name);

        create(name).send("more", null);
        await().atMost(PATIENCE).until(() -> effects.size() == 11);
        awaitState(source, SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"classic, IDS", "consumer, IDS", "classic, WATERMARKS"})
    void topicThatIsDeletedWhileItIsReadIsAProblem(String protocol, Deduplication deduplication) {
        create(name).sendMany(10, 2);
        KafkaSource source = start(inbox(deduplication), protocol, name);
        await().atMost(PATIENCE).until(() -> effects.size() == 10);
        awaitState(source, SourceState.RUNNING);

        try (Admin admin = kafka.admin()) {
            KafkaTopic.get(admin.deleteTopics(List.of(name)).all());
        }

        await().atMost(PATIENCE)
                .until(() -> source.problems().toString().contains("topic '" + name + "' is not there"));
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
        assertThat(source.failure()).isNull();
    }

    @Test
    void memberWithoutPartitionsOfATopicThatIsThereRuns() {
        create(name).sendMany(10, 2);
        Inbox<?> inbox = inbox(Deduplication.IDS);
        KafkaSource first = start(inbox, "classic", name);
        KafkaSource second = start(inbox, "classic", name);

        await().atMost(PATIENCE).until(() -> effects.size() == 10);
        awaitState(first, SourceState.RUNNING);
        awaitState(second, SourceState.RUNNING);
        // When a source that was started later knows that its topic is missing, these two have looked as often.
        KafkaSource later = start(inbox("later", Deduplication.IDS), "classic", name + "-not-there");
        await().atMost(PATIENCE).until(() -> later.problems().toString().contains("is not there"));
        assertThat(first.problems()).isEmpty();
        assertThat(second.problems()).isEmpty();
    }
}
