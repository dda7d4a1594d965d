package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.MessageIds;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publication.Refused;
import io.pigeonhole.core.relay.Publication.Unavailable;
import io.pigeonhole.embedded.EmbeddedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the broker refuses, of records that share a batch. */
class KafkaPublisherIT {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedKafka kafka;

    private final String topic = "topic-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    private void create(Map<String, String> config) {
        try (Admin admin = kafka.admin()) {
            KafkaTopic.get(admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(config)))
                    .all());
        }
    }

    /** What is sent within a moment shares a batch. */
    private KafkaPublisher publisher() {
        return KafkaPublisher.of(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "linger.ms", 200, "max.block.ms", 2_000), topic);
    }

    private static Message message(@Nullable String key, int size) {
        Message.Builder message =
                Message.builder("sent").id(MessageIds.next()).type("note").payload(new byte[size]);
        return key == null ? message.build() : message.orderingKey(key).build();
    }

    /** All but one are confirmed. */
    private Publication refusedAmongOthers(Message refusable) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            messages.add(message("key " + i, 10));
        }
        messages.add(5, refusable);
        try (KafkaPublisher publisher = publisher()) {
            List<Publication> outcomes = new ArrayList<>(publisher.publish(messages, LONG));
            Publication refused = outcomes.remove(5);
            assertThat(outcomes).hasSize(9).allMatch(outcome -> outcome instanceof Publication.Confirmed);
            return refused;
        }
    }

    @Test
    void recordWithoutAKeyForACompactedTopicIsRefusedAndNoOther() {
        create(Map.of("cleanup.policy", "compact"));
        assertThat(refusedAmongOthers(message(null, 10)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.cause()).isInstanceOf(InvalidRecordException.class));
    }

    @Test
    void recordThatIsTooLargeForTheTopicIsRefusedAndNoOther() {
        create(Map.of("max.message.bytes", "2000"));
        assertThat(refusedAmongOthers(message("large", 5_000)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.cause()).isInstanceOf(RecordTooLargeException.class));
    }

    @Test
    void topicThatDoesNotExistIsUnavailableUntilSomebodyCreatesIt() {
        try (KafkaPublisher publisher = publisher()) {
            assertThat(publisher.publish(List.of(message("a", 1), message("b", 1)), LONG))
                    .hasSize(2)
                    .allSatisfy(outcome -> assertThat(outcome)
                            .isInstanceOfSatisfying(
                                    Unavailable.class,
                                    unavailable ->
                                            assertThat(unavailable.cause()).hasMessageContaining(topic)));
            create(Map.of());
            assertThat(publisher.publish(List.of(message("a", 1)), LONG)).containsExactly(Publication.CONFIRMED);
        }
    }

    @Test
    void topicThatDoesNotExistTakesNoMoreTimeThanThereIs() {
        try (KafkaPublisher publisher = publisher()) {
            long begin = System.nanoTime();
            assertThat(publisher.publish(List.of(message("a", 1), message("b", 1)), Duration.ofMillis(300)))
                    .hasSize(2)
                    .allMatch(outcome -> outcome instanceof Unavailable);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMillis(1_900));
        }
    }
}
