package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
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
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where partitions begin with {@code auto.offset.reset=latest}, by what the group has committed. Each log goes from 10 to 20. */
@Tag("A10")
class LatestResetTest {
    private static final long FIRST = 10;
    private static final long END = 20;
    private static final Duration SOON = Duration.ofSeconds(1);

    private final Map<TopicPartition, OffsetAndMetadata> group = new HashMap<>();
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final InMemoryStore store = InMemoryStore.create();
    private @Nullable RuntimeException answer;
    private long now;

    /** A member of the group, with a consumer of its own. */
    private final class Member extends MockConsumer<byte[], byte[]> {
        private final Assignments assignments;

        Member(Deduplication by, int partitions) {
            super("latest");
            Inbox<InMemoryContext> inbox = Inbox.builder("test", store)
                    .deduplication(by)
                    .handle("text", PayloadDecoder.text(), (text, context) -> {})
                    .build();
            DeliveryThreads threads = DeliveryThreads.start("test", inbox, DeliverySettings.standard());
            toClose.add(() -> threads.close(Duration.ofSeconds(5)));
            PollLoop.Settings settings = new PollLoop.Settings(
                    "test",
                    List.of("t"),
                    new RecordMapper(Map.of(), "id", "type", "content"),
                    10,
                    10,
                    SOON,
                    SOON,
                    SOON,
                    () -> now);
            TopicIdentities identities = new TopicIdentities(
                    topic -> CompletableFuture.completedFuture("kafka:c/t/"), () -> {}, () -> now, warning -> {});
            AddedPartitions added = new AddedPartitions(this);
            boolean byWatermarks = by == Deduplication.WATERMARKS;
            LogOwner owner = byWatermarks
                    ? new LogOwner(
                            inbox.forSources(),
                            this,
                            identities,
                            added,
                            UnaryOperator.identity(),
                            LogStart.LATEST,
                            () -> now)
                    : null;
            assignments = new Assignments(
                    settings,
                    this,
                    threads,
                    byWatermarks ? identities : null,
                    owner,
                    null,
                    added,
                    new Beginnings(inbox.forSources(), 10, () -> now),
                    () -> now);
            updatePartitions(
                    "t",
                    IntStream.range(0, partitions)
                            .mapToObj(number -> new PartitionInfo("t", number, null, null, null))
                            .toList());
        }

        Member assigned(int... numbers) {
            List<TopicPartition> partitions =
                    IntStream.of(numbers).mapToObj(LatestResetTest::partition).toList();
            List<TopicPartition> all = new ArrayList<>(partitions);
            all.addAll(assignment());
            assign(all);
            partitions.forEach(each -> {
                updateBeginningOffsets(Map.of(each, FIRST));
                updateEndOffsets(Map.of(each, END));
            });
            assignments.onPartitionsAssigned(partitions);
            return this;
        }

        /** What the poll loop does. */
        Member turn() {
            assignments.acquire(partition -> false);
            assignments.regulate(assignment -> false);
            assignments.noteBeginnings(ConsumerRecords.empty(), partition -> false);
            return this;
        }

        Member commit() {
            assignments.commitAsync();
            return this;
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                Set<TopicPartition> partitions, Duration timeout) {
            if (answer != null) {
                throw answer;
            }
            Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
            partitions.forEach(partition -> committed.put(partition, group.get(partition)));
            return committed;
        }

        @Override
        public synchronized List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
            return partitionsFor(topic);
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(
                java.util.Collection<TopicPartition> partitions, Duration timeout) {
            return endOffsets(partitions);
        }

        @Override
        public synchronized Map<TopicPartition, Long> beginningOffsets(
                java.util.Collection<TopicPartition> partitions, Duration timeout) {
            return beginningOffsets(partitions);
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            group.putAll(offsets);
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
            group.putAll(offsets);
            if (callback != null) {
                callback.onComplete(offsets, null);
            }
        }

        long begin(int number) {
            return position(partition(number));
        }
    }

    private static TopicPartition partition(int number) {
        return new TopicPartition("t", number);
    }

    private Member member(int partitions) {
        return new Member(Deduplication.IDS, partitions);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    @Test
    void firstStartBeginsAtTheEnds() {
        Member member = member(2).assigned(0, 1).turn();
        assertThat(member.begin(0)).isEqualTo(END);
        assertThat(member.begin(1)).isEqualTo(END);
    }

    @Test
    void memberOfTheFirstStartThatIsAMomentLaterBeginsAtTheEndToo() {
        member(4).assigned(0, 1).turn().commit();
        Member second = member(4).assigned(2, 3).turn();
        assertThat(second.begin(2)).isEqualTo(END);
        assertThat(second.begin(3)).isEqualTo(END);
    }

    @Test
    void partitionsBeginAtTheOffsetOfTheGroup() {
        group.put(partition(0), new OffsetAndMetadata(13));
        assertThat(member(1).assigned(0).turn().begin(0)).isEqualTo(13);
    }

    @Test
    void partitionAddedWhileTheMemberRunsBeginsAtItsFirstRecord() {
        Member member = member(1).assigned(0).turn().commit().assigned(1).turn();
        assertThat(member.begin(1)).isEqualTo(FIRST);
        assertThat(member.begin(0)).isEqualTo(END);
    }

    @Test
    void partitionAddedBeforeTheFirstCommitBeginsAtItsFirstRecord() {
        Member member = member(1).assigned(0).turn().assigned(1).turn();
        assertThat(member.begin(1)).isEqualTo(FIRST);
    }

    @Test
    void everyLaterCommitSaysHowManyPartitionsThereWere() {
        member(2).assigned(0).turn().commit();
        member(3).assigned(0, 2).turn().commit();
        group.remove(partition(2));
        Member later = member(4).assigned(1, 2, 3).turn();
        assertThat(later.begin(1)).isEqualTo(END);
        assertThat(later.begin(2)).isEqualTo(FIRST);
        assertThat(later.begin(3)).isEqualTo(FIRST);
    }

    @Test
    void partitionBesideOffsetsOfAnotherProgramBeginsAtItsFirstRecord() {
        group.put(partition(1), new OffsetAndMetadata(13));
        assertThat(member(2).assigned(0).turn().begin(0)).isEqualTo(FIRST);
    }

    @Test
    void topicWithFewerPartitionsThanTheGroupBeganWithIsAnotherOne() {
        member(5).assigned(0).turn().commit();
        member(2).assigned(0).turn().commit();
        assertThat(member(3).assigned(2).turn().begin(2)).isEqualTo(FIRST);
    }

    @Test
    void nothingIsReadOfAPartitionBeforeItIsKnownWhereItBegins() {
        answer = new TimeoutException("no coordinator");
        Member member = member(1).assigned(0).turn();
        assertThat(member.paused()).containsExactly(partition(0));
        assertThat(member.assignments.undecidedProblem()).contains("t-0").contains("no coordinator");
        assertThat(member.commit().turn().paused()).isNotEmpty();
        assertThat(group).isEmpty();
        answer = null;
        now += SOON.toNanos();
        assertThat(member.turn().paused()).isEmpty();
        assertThat(member.begin(0)).isEqualTo(END);
        assertThat(member.assignments.undecidedProblem()).isNull();
    }

    @Test
    void refusalIsThrownToWhoeverPolls() {
        answer = new GroupAuthorizationException("test");
        Member member = member(1).assigned(0);
        assertThatThrownBy(member::turn).isSameAs(answer);
    }

    @Test
    void withWatermarksMembersOfTheFirstStartBeginAtTheEnd() {
        Member first = new Member(Deduplication.WATERMARKS, 4).assigned(0, 1).turn();
        Member second = new Member(Deduplication.WATERMARKS, 4).assigned(2, 3).turn();
        assertThat(List.of(first.begin(0), first.begin(1), second.begin(2), second.begin(3)))
                .containsOnly(END);
    }

    @Test
    void withWatermarksAddedPartitionBeginsAtItsFirstRecord() {
        Member first = new Member(Deduplication.WATERMARKS, 1).assigned(0).turn();
        assertThat(first.assigned(1).turn().begin(1)).isEqualTo(FIRST);
        group.clear();
        assertThat(new Member(Deduplication.WATERMARKS, 3).assigned(2).turn().begin(2))
                .isEqualTo(FIRST);
    }
}
