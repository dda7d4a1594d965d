package io.pigeonhole.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.NodeBuilder;
import io.pigeonhole.core.node.RedeliveryWindow;
import io.pigeonhole.core.node.RedeliveryWindow.Kind;
import io.pigeonhole.core.node.WindowGuard;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.kafka.KafkaSource;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What Kafka tells of how long it may deliver a message again, and what a node makes of it. */
class RedeliveryWindowIT {
    private static EmbeddedKafka kafka;

    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .handleOther(PayloadDecoder.bytes(), (payload, context) -> {})
            .build();

    @BeforeAll
    static void start() throws ExecutionException, InterruptedException {
        kafka = EmbeddedKafka.start(Path.of(
                System.getProperty("pigeonhole.target", "target"),
                "bounds",
                "" + ProcessHandle.current().pid()));
        try (Admin admin = kafka.admin()) {
            admin.createTopics(List.of(
                            topic("short", "86400000", "delete"),
                            topic("long", "1209600000", "delete"),
                            topic("endless", "-1", "delete"),
                            topic("compacted", "86400000", "compact")))
                    .all()
                    .get();
        }
    }

    private static NewTopic topic(String name, String retention, String policy) {
        return new NewTopic(name, 1, (short) 1)
                .configs(Map.of("retention.ms", retention, "segment.ms", "3600000", "cleanup.policy", policy));
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    private KafkaSource source(String... topics) {
        return KafkaSource.of(inbox, Map.of("bootstrap.servers", kafka.bootstrapServers()), topics);
    }

    @Test
    void kafkaTellsTheLongestRetentionOfTheTopicsAndASegment() {
        RedeliveryWindow redeliveryWindow = source("short", "long").redeliveryWindow();

        assertThat(redeliveryWindow.duration()).isEqualTo(Duration.ofDays(14).plusHours(1));
        assertThat(redeliveryWindow.origin()).contains("'long'", "retention.ms=1209600000", "segment.ms=3600000");
    }

    @Test
    void kafkaKeepsForEverWhereNothingIsDeleted() {
        assertThat(source("short", "endless").redeliveryWindow().kind()).isEqualTo(Kind.UNLIMITED);
        assertThat(source("compacted").redeliveryWindow().kind()).isEqualTo(Kind.UNLIMITED);
    }

    @Test
    void topicThatIsNotThereIsUnknown() {
        assertThat(source("nowhere").redeliveryWindow().kind()).isEqualTo(Kind.UNKNOWN);
    }

    @Test
    void nodeRefusesATopicThatOutlivesTheWindow() {
        NodeBuilder node = Node.builder(store).source(source("long")).windowGuard(WindowGuard.REFUSE);

        assertThatThrownBy(node::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("14 days 1 hour")
                .hasMessageContaining("7 days");
        try (Node lives = Node.builder(store)
                .source(source("short"))
                .windowGuard(WindowGuard.REFUSE)
                .start()) {
            assertThat(lives.windowVerdicts()).hasSize(1);
        }
    }
}
