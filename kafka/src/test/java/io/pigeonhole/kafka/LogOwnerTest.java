package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Partitions that cannot be acquired now, beside others that can. */
class LogOwnerTest {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final List<TopicPartition> PARTITIONS = IntStream.range(0, 10)
            .mapToObj(number -> new TopicPartition("t", number))
            .toList();

    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", store)
            .deduplication(Deduplication.WATERMARKS)
            .handle("text", PayloadDecoder.text(), (text, context) -> {})
            .build();
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start("test", inbox, DeliverySettings.standard());
    private final KafkaWithoutLeaders consumer = new KafkaWithoutLeaders();
    private final TopicIdentities identities = new TopicIdentities(
            topic -> CompletableFuture.completedFuture("kafka:c/t/"), () -> {}, () -> 0, warning -> {});
    private long now;
    private Duration slowness = Duration.ZERO;
    private final LogOwner owner = new LogOwner(
            inbox.forSources(), consumer, identities, null, UnaryOperator.identity(), LogStart.EARLIEST, () -> now);
    private final WatermarkCheck check = new WatermarkCheck("test", inbox.forSources());
    private final Assignments assignments = new Assignments(
            new PollLoop.Settings(
                    "test",
                    List.of("t"),
                    new RecordMapper(Map.of(), "id", "type", "content"),
                    100,
                    100,
                    POLL,
                    POLL,
                    POLL,
                    System::nanoTime),
            consumer,
            deliveryThreads,
            identities,
            owner,
            check,
            null,
            new Beginnings(inbox.forSources(), 100, () -> now),
            () -> now);

    /** Partitions with even numbers have no leader: each question takes as long as the consumer waits for an answer. */
    private final class KafkaWithoutLeaders extends MockConsumer<byte[], byte[]> {
        private final Set<TopicPartition> asked = new HashSet<>();
        private int unanswered;

        KafkaWithoutLeaders() {
            super("earliest");
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                Set<TopicPartition> partitions, Duration timeout) {
            now += slowness.toNanos();
            if (partitions.iterator().next().partition() % 2 == 0) {
                unanswered++;
                now += ANSWER.toNanos();
                throw new TimeoutException("no leader");
            }
            return Map.of();
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            asked.addAll(offsets.keySet());
            now += timeout.toNanos();
            throw new TimeoutException("no answer");
        }
    }

    @BeforeEach
    void assign() {
        consumer.assign(PARTITIONS);
        PARTITIONS.forEach(partition -> consumer.updateBeginningOffsets(Map.of(partition, 0L)));
        assignments.onPartitionsAssigned(PARTITIONS);
    }

    @AfterEach
    void close() {
        check.close();
        deliveryThreads.close(Duration.ofSeconds(5));
    }

    /** What the poll loop does. */
    private void poll(Duration time) {
        for (long end = now + time.toNanos(); now < end; now += POLL.toNanos()) {
            assignments.acquire(partition -> false);
        }
    }

    @Test
    void partitionsThatCannotBeAcquiredHoldBackNoneThatCan() {
        poll(Duration.ofMinutes(1));
        assertThat(PARTITIONS)
                .filteredOn(partition -> assignments.get(partition).owner() != null)
                .extracting(TopicPartition::partition)
                .containsExactly(1, 3, 5, 7, 9);
        assertThat(owner.isWaiting()).isFalse();
    }

    @Test
    void partitionsWithoutALeaderTakeHalfTheTimeOfThePollThreadAtMost() {
        Duration time = Duration.ofMinutes(10);
        poll(time);
        assertThat(ANSWER.multipliedBy(consumer.unanswered))
                .isBetween(time.dividedBy(3), time.dividedBy(2).plus(ANSWER));
    }

    @Test
    void slowAnswersDoNotKeepThePollThreadFromPolling() {
        slowness = Duration.ofSeconds(3);
        assignments.acquire(partition -> false);
        assertThat(Duration.ofNanos(now)).isLessThanOrEqualTo(slowness.plus(ANSWER));
        poll(Duration.ofMinutes(2));
        assertThat(assignments.get(PARTITIONS.get(9)).owner()).isNotNull();
    }

    @Test
    void sourceWaitsForTheStoreUntilAllThatCanBeAcquiredIs() {
        store.available(false);
        poll(Duration.ofSeconds(10));
        assertThat(owner.isWaiting()).isTrue();
        store.available(true);
        poll(Duration.ofMinutes(2));
        assertThat(owner.isWaiting()).isFalse();
    }

    @Test
    void sourceDoesNotWaitForTheStoreOnceThePartitionsAreAnothers() {
        store.available(false);
        poll(Duration.ofSeconds(10));
        assignments.onPartitionsRevoked(PARTITIONS.subList(0, 5));
        poll(Duration.ofSeconds(10));
        assertThat(owner.isWaiting()).isTrue();
        assignments.onPartitionsLost(PARTITIONS.subList(5, 10));
        poll(POLL);
        assertThat(owner.isWaiting()).isFalse();
    }

    /** Kafka takes a member that does not poll for dead. */
    @Test
    @Tag("E10")
    void slowAnswersAboutPartitionsThatWereTakenDoNotKeepThePollThreadFromPolling() {
        poll(Duration.ofMinutes(2));
        List<TopicPartition> acquired = PARTITIONS.stream()
                .filter(partition -> assignments.get(partition).owner() != null)
                .toList();
        acquired.forEach(partition ->
                inbox.forSources().acquire(new LogPartition(partition.topic(), partition.partition()), "kafka:c/t"));
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            long begun = now;
            assignments.checkOwners();
            assertThat(Duration.ofNanos(now - begun)).isLessThanOrEqualTo(Duration.ofSeconds(7));
            return !consumer.asked.isEmpty();
        });
    }
}
