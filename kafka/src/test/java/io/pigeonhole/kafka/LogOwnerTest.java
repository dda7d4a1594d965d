package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.lane.LaneSettings;
import io.pigeonhole.core.lane.Lanes;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
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
    private final Lanes lanes = Lanes.start("test", inbox, LaneSettings.standard());
    private final KafkaWithoutLeaders consumer = new KafkaWithoutLeaders();
    private final TopicIdentities identities = new TopicIdentities(
            topic -> CompletableFuture.completedFuture("kafka:c/t/"), () -> {}, () -> 0, warning -> {});
    private long now;
    private final LogOwner owner =
            new LogOwner(inbox, consumer, identities, UnaryOperator.identity(), LogStart.EARLIEST, () -> now);
    private final Assignments assignments = new Assignments(
            new PollLoop.Settings(
                    "test",
                    List.of("t"),
                    new RecordMapper(UnaryOperator.identity(), "id", "type", "content"),
                    100,
                    100,
                    POLL,
                    POLL,
                    POLL),
            consumer,
            lanes,
            identities,
            owner,
            null,
            new Beginnings(inbox, 100, () -> now));

    /** Partitions with even numbers have no leader: each question takes as long as the consumer waits for an answer. */
    private final class KafkaWithoutLeaders extends MockConsumer<byte[], byte[]> {
        private int unanswered;

        KafkaWithoutLeaders() {
            super("earliest");
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                Set<TopicPartition> partitions, Duration timeout) {
            if (partitions.iterator().next().partition() % 2 == 0) {
                unanswered++;
                now += ANSWER.toNanos();
                throw new TimeoutException("no leader");
            }
            return Map.of();
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
        lanes.close(Duration.ofSeconds(5));
    }

    /** What the poll loop does. */
    private void poll(Duration time) {
        for (long end = now + time.toNanos(); now < end; now += POLL.toNanos()) {
            assignments.acquire();
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
}
