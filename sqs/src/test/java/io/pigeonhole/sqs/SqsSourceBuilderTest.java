package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.sqs.SqsClient;

class SqsSourceBuilderTest {
    private final Inbox<?> inbox =
            Inbox.builder("payments", InMemoryStore.create()).build();

    /** Never called. */
    private final SqsClient client = new SqsClient() {
        @Override
        public String serviceName() {
            return "sqs";
        }

        @Override
        public void close() {}
    };

    private SqsSource build(String queue) {
        return SqsSource.of(inbox, client, queue);
    }

    private void assertRefused(UnaryOperator<SqsSourceBuilder> setting, String name) {
        assertThatThrownBy(() ->
                        setting.apply(SqsSource.builder(inbox, client, "notes")).build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(name);
    }

    @Test
    void queueIsNamedByItsNameOrItsUrl() {
        assertThat(build("notes").name()).endsWith("queue notes");
        assertThat(build("https://sqs.eu-central-1.amazonaws.com/123456789012/notes.fifo")
                        .name())
                .endsWith("queue notes.fifo");
        assertThat(build("notes").state()).isEqualTo(SourceState.NEW);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "https://host/123456789012/", "a/b", "arn:aws:sqs:eu-central-1:123456789012:notes"})
    void whatIsNeitherANameNorAnUrlIsRefused(String queue) {
        assertThatThrownBy(() -> build(queue))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("payments")
                .hasMessageContaining("queue");
    }

    @Test
    void settingsThatSqsWouldRefuseAreRefused() {
        assertRefused(builder -> builder.waitTime(Duration.ofSeconds(21)), "waitTime");
        assertRefused(builder -> builder.waitTime(Duration.ofMillis(1_500)), "waitTime");
        assertRefused(builder -> builder.visibilityTimeout(Duration.ZERO), "visibilityTimeout");
        assertRefused(builder -> builder.visibilityTimeout(Duration.ofHours(13)), "visibilityTimeout");
        assertRefused(builder -> builder.longestHold(Duration.ofSeconds(29)), "longestHold");
        assertRefused(builder -> builder.longestHold(Duration.ofHours(13)), "longestHold");
    }

    @Test
    void inboxThatNeedsALogIsRefused() {
        Inbox<?> hybrid = Inbox.builder("payments", InMemoryStore.create())
                .deduplication(Deduplication.HYBRID)
                .build();
        assertThatThrownBy(() -> SqsSource.of(hybrid, client, "notes"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("payments")
                .hasMessageContaining("HYBRID");
    }

    @Test
    void senselessSettingsAreRefused() {
        assertRefused(builder -> builder.pollers(0), "pollers");
        assertRefused(builder -> builder.pollers(101), "pollers");
        assertRefused(builder -> builder.concurrency(0), "concurrency");
        assertRefused(builder -> builder.maxBatch(0), "maxBatch");
        assertRefused(builder -> builder.maxUnfinished(0, 1), "maxMessages");
        assertRefused(builder -> builder.sourceName(" "), "sourceName");
        assertRefused(builder -> builder.closeTimeout(Duration.ofSeconds(-1)), "closeTimeout");
        assertRefused(builder -> builder.closeTimeout(Duration.ofMillis(Long.MAX_VALUE)), "closeTimeout");
    }
}
