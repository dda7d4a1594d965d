package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.lane.LaneSettings;
import io.pigeonhole.core.lane.Lanes;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a member that goes on does to the offsets of its group where an administrator has taken the positions away. */
class ForgottenWhileRunningTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final Author ANN = new Author("ann", "why");
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final InMemoryStore store = InMemoryStore.create();
    private final Admin admin = Admin.of(store);
    private final Map<TopicPartition, OffsetAndMetadata> group =
            new HashMap<>(Map.of(PARTITION, new OffsetAndMetadata(500)));
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest") {
        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                Set<TopicPartition> partitions, Duration timeout) {
            return group;
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            group.putAll(offsets);
        }
    };
    private final List<Runnable> toClose = new ArrayList<>();

    @AfterEach
    void close() {
        toClose.forEach(Runnable::run);
        consumer.close();
    }

    /** A member that has acquired its partition where the group's offset was. */
    private Assignments member(Deduplication by, LogStart start) {
        Inbox<InMemoryContext> inbox = Inbox.builder("test", store)
                .deduplication(by)
                .handle("text", PayloadDecoder.text(), (text, context) -> {})
                .build();
        TopicIdentities identities = new TopicIdentities(
                topic -> CompletableFuture.completedFuture("kafka:c/t/"), () -> {}, System::nanoTime, warning -> {});
        WatermarkCheck check = new WatermarkCheck("test", inbox);
        toClose.add(check::close);
        Lanes lanes = Lanes.start("test", inbox, LaneSettings.standard());
        toClose.add(() -> lanes.close(PATIENCE));
        Assignments assignments = new Assignments(
                new PollLoop.Settings(
                        "test",
                        List.of("t"),
                        new RecordMapper(Map.of(), "id", "type", "content"),
                        100,
                        100,
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        System::nanoTime),
                consumer,
                lanes,
                identities,
                new LogOwner(inbox, consumer, identities, UnaryOperator.identity(), start, System::nanoTime),
                check,
                new Beginnings(inbox, 100, System::nanoTime),
                System::nanoTime);
        consumer.assign(List.of(PARTITION));
        assignments.onPartitionsAssigned(List.of(PARTITION));
        assignments.acquire(partition -> false);
        assertThat(consumer.position(PARTITION)).isEqualTo(500);
        return assignments;
    }

    private void awaitLoss(Assignments assignments) {
        await().atMost(PATIENCE).until(() -> {
            assignments.checkOwners();
            return assignments.get(PARTITION).owner() == null;
        });
    }

    @Test
    void memberThatGoesOnAfterItsPositionsAreForgottenReadsOnWhereItWas() {
        Assignments assignments = member(Deduplication.WATERMARKS, LogStart.NONE);
        assertThat(admin.forgetWatermarks("test", "t", ANN).kind()).isEqualTo(Answer.Kind.DONE);
        awaitLoss(assignments);
        assignments.acquire(partition -> false);
        assertThat(group.get(PARTITION)).extracting(OffsetAndMetadata::offset).isEqualTo(500L);
        assertThat(consumer.position(PARTITION)).isEqualTo(500);
    }

    @Test
    void memberThatGoesOnAfterItsConsumerWentBackToIdsLeavesTheOffsetOfItsGroup() {
        Assignments assignments = member(Deduplication.HYBRID, LogStart.EARLIEST);
        admin.pause("test", ANN);
        assertThat(admin.deduplicateBy("test", Deduplication.IDS, ANN).kind()).isEqualTo(Answer.Kind.DONE);
        admin.resume("test", ANN);
        awaitLoss(assignments);
        assertThatThrownBy(() -> assignments.acquire(partition -> false)).isInstanceOf(ConfigurationException.class);
        assertThat(group.get(PARTITION)).extracting(OffsetAndMetadata::offset).isEqualTo(500L);
    }
}
