package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of watermarks when topics and offsets change behind them, with a real broker and a store in memory. */
@Tag("full")
class KafkaWatermarkIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Author ANN = new Author("ann", "it was made anew");
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedKafka kafka;

    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final CrashPlan plan = CrashPlan.none();
    private final InMemoryStore memory = InMemoryStore.create();
    private final CrashingStore<InMemoryContext> store = new CrashingStore<>(memory, plan);
    private final Admin admin = Admin.of(memory);
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final String consumer = "watermark-" + NUMBERS.incrementAndGet();

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
        plan.calm();
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    private KafkaTopic topic() {
        KafkaTopic topic = KafkaTopic.create(kafka, consumer + "-topic", 1);
        toClose.add(topic);
        return topic;
    }

    private KafkaSource start(KafkaTopic topic, Deduplication by, String reset) {
        return start(topic, inbox(by, store), reset);
    }

    private Inbox<InMemoryContext> inbox(Deduplication by, InboxStore<InMemoryContext> store) {
        return Inbox.builder(consumer, store)
                .deduplication(by)
                .handle("test", PayloadDecoder.bytes(), (payload, context) -> {
                    String effect = new String(payload, UTF_8);
                    context.defer(() -> effects.add(effect));
                })
                .build();
    }

    private KafkaSource start(KafkaTopic topic, Inbox<InMemoryContext> inbox, String reset) {
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers(), "auto.offset.reset", reset);
        KafkaSource source = KafkaSource.of(inbox, config, topic.name());
        toClose.add(source);
        source.start();
        return source;
    }

    private Watermark watermark(Inbox<InMemoryContext> inbox, KafkaTopic topic) {
        return inbox.forSources()
                .watermarks(List.of(new LogPartition(topic.name(), 0)))
                .get(0);
    }

    /** The owner keeps what it knows, and the database is as it was some commits ago. */
    private void loseCommits(Inbox<InMemoryContext> inbox, KafkaTopic topic, long position) {
        try (InboxTransaction<InMemoryContext> transaction = memory.begin(PATIENCE)) {
            transaction.advance(inbox.registered(), List.of(new Advance(watermark(inbox, topic), position, -1)));
            transaction.commit();
        }
    }

    private static void send(KafkaTopic topic, String... ids) {
        for (String id : ids) {
            topic.send(id, "k");
        }
    }

    private void resetOffset(KafkaTopic topic, int partition, long offset) {
        var offsets = Map.of(new TopicPartition(topic.name(), partition), new OffsetAndMetadata(offset));
        try (org.apache.kafka.clients.admin.Admin broker = kafka.admin()) {
            KafkaTopic.get(broker.alterConsumerGroupOffsets(consumer, offsets).all());
        }
    }

    private void awaitEffects(int count) {
        await().atMost(PATIENCE).until(() -> effects.size() >= count);
    }

    /** Closing commits offsets, as information. */
    private void takeAll(KafkaTopic topic, Deduplication by, int count) {
        KafkaSource source = start(topic, by, "earliest");
        awaitEffects(count);
        source.close();
    }

    @Test
    void topicThatWasMadeAnewIsRefusedUntilSomebodyForgetsTheWatermarks() {
        KafkaTopic topic = topic();
        send(topic, "old 0", "old 1", "old 2");
        takeAll(topic, Deduplication.WATERMARKS, 3);
        topic.recreate();
        send(topic, "new 0", "new 1", "new 2", "new 3");

        KafkaSource refused = start(topic, Deduplication.WATERMARKS, "earliest");
        await().atMost(PATIENCE).until(() -> refused.state() == SourceState.FAILED);
        assertThat(refused.failure())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(consumer)
                .hasMessageContaining("forgetWatermarks");
        assertThat(effects).hasSize(3);

        assertThat(admin.forgetWatermarks(consumer, topic.name(), ANN).kind()).isEqualTo(Answer.Kind.DONE);
        start(topic, Deduplication.WATERMARKS, "earliest");
        awaitEffects(7);
        assertThat(effects).containsExactly("old 0", "old 1", "old 2", "new 0", "new 1", "new 2", "new 3");
    }

    @Tag("A10")
    @Test
    void recordsThatTheDatabaseHasLostAreReadAgainBeforeThoseBehindThem() {
        KafkaTopic topic = topic();
        Inbox<InMemoryContext> inbox = inbox(Deduplication.WATERMARKS, store);
        send(topic, "0", "1", "2");
        start(topic, inbox, "earliest");
        awaitEffects(3);
        await().atMost(PATIENCE).until(() -> watermark(inbox, topic).position() == 3);
        loseCommits(inbox, topic, 1);
        send(topic, "3");
        awaitEffects(6);
        assertThat(effects).containsExactly("0", "1", "2", "1", "2", "3");
        await().atMost(PATIENCE).until(() -> watermark(inbox, topic).position() == 4);
    }

    @Tag("A10")
    @Test
    void recordsThatTheDatabaseHasLostAreReadAgainAlsoWhenNothingFollows() {
        KafkaTopic topic = topic();
        Inbox<InMemoryContext> inbox = inbox(Deduplication.WATERMARKS, store);
        send(topic, "0", "1", "2");
        start(topic, inbox, "earliest");
        awaitEffects(3);
        await().atMost(PATIENCE).until(() -> watermark(inbox, topic).position() == 3);
        loseCommits(inbox, topic, 1);
        awaitEffects(5);
        assertThat(effects).containsExactly("0", "1", "2", "1", "2");
    }

    @Tag("A10")
    @Test
    void ownerWhoseBeginningTheDatabaseHasLostBeginsThereOnceMore() {
        KafkaTopic topic = topic();
        send(topic, "before");
        Inbox<InMemoryContext> inbox = inbox(Deduplication.WATERMARKS, store);
        start(topic, inbox, "latest");
        await().atMost(PATIENCE)
                .until(() -> !inbox.forSources()
                        .watermarks(List.of(new LogPartition(topic.name(), 0)))
                        .isEmpty());
        await().atMost(PATIENCE).until(() -> watermark(inbox, topic).position() == 1);
        send(topic, "1", "2");
        awaitEffects(2);
        await().atMost(PATIENCE).until(() -> watermark(inbox, topic).position() == 3);
        loseCommits(inbox, topic, Watermark.UNKNOWN);
        awaitEffects(4);
        assertThat(effects).containsExactly("1", "2", "1", "2");
    }

    @Tag("A10")
    @Test
    void databaseWithoutTheWatermarkOfCommittedOffsetsIsRefusedUntilSomebodyDecides() {
        KafkaTopic topic = topic();
        send(topic, "0", "1", "2");
        takeAll(topic, Deduplication.WATERMARKS, 3);
        assertThat(topic.committed(consumer)).containsEntry(0, 3L);
        send(topic, "3");
        InMemoryStore restored = InMemoryStore.create();
        KafkaSource refused = start(topic, inbox(Deduplication.WATERMARKS, restored), "earliest");
        await().atMost(PATIENCE).until(() -> refused.state() == SourceState.FAILED);
        assertThat(refused.failure())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("offset 3")
                .hasMessageContaining("forgetWatermarks");
        refused.close();
        resetOffset(topic, 0, 1);
        start(topic, inbox(Deduplication.WATERMARKS, restored), "earliest");
        awaitEffects(6);
        assertThat(effects).containsExactly("0", "1", "2", "1", "2", "3");
    }

    /** A member that was stopped between its assignment and its acquisition comes too late, but with the newest number. */
    @Tag("B6")
    @Test
    void ownerWhosePartitionALateMemberTookAcquiresItAgain() {
        KafkaTopic topic = topic();
        Inbox<InMemoryContext> inbox = inbox(Deduplication.WATERMARKS, store);
        send(topic, "0");
        KafkaSource source = start(topic, inbox, "earliest");
        awaitEffects(1);
        await().atMost(PATIENCE).until(() -> watermark(inbox, topic).position() == 1);
        Watermark late = memory.acquire(
                inbox.registered(),
                new LogPartition(topic.name(), 0),
                watermark(inbox, topic).log());
        send(topic, "1", "2");
        awaitEffects(3);
        assertThat(effects).containsExactly("0", "1", "2");
        assertThat(watermark(inbox, topic).assignment()).isGreaterThan(late.assignment());
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    /** Two groups that read for one consumer are a mistake, but lose and repeat nothing, and nobody stands still. */
    @Tag("B6")
    @Test
    void membersOfTwoGroupsWithOneConsumerApplyEachRecordOnce() {
        KafkaTopic topic = topic();
        send(topic, "0");
        start(topic, Deduplication.WATERMARKS, "earliest");
        awaitEffects(1);
        KafkaSource other = KafkaSource.of(
                inbox(Deduplication.WATERMARKS, store),
                Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "auto.offset.reset",
                        "earliest",
                        "group.id",
                        consumer + "-other"),
                topic.name());
        toClose.add(other);
        other.start();
        List<String> expected = new ArrayList<>(List.of("0"));
        for (int i = 1; i <= 20; i++) {
            send(topic, "" + i);
            expected.add("" + i);
            if (i % 10 == 0) {
                awaitEffects(i + 1);
            }
        }
        assertThat(effects).containsExactlyElementsOf(expected);
    }

    @Test
    void offsetsThatSomebodyResetsDecideNothing() {
        KafkaTopic topic = topic();
        send(topic, "0", "1", "2");
        takeAll(topic, Deduplication.WATERMARKS, 3);
        resetOffset(topic, 0, 0);
        send(topic, "3");
        takeAll(topic, Deduplication.WATERMARKS, 4);
        assertThat(effects).containsExactly("0", "1", "2", "3");
        assertThat(topic.committed(consumer)).containsEntry(0, 4L);
    }

    @Test
    void consumerGoesFromIdsToWatermarksAndBackOnOneTopic() {
        KafkaTopic topic = topic();
        int sent = 0;
        for (Deduplication by : List.of(
                Deduplication.IDS,
                Deduplication.HYBRID,
                Deduplication.WATERMARKS,
                Deduplication.HYBRID,
                Deduplication.IDS)) {
            if (sent > 0) {
                admin.pause(consumer, ANN);
                assertThat(admin.deduplicateBy(consumer, by, ANN).kind()).isEqualTo(Answer.Kind.DONE);
                admin.resume(consumer, ANN);
            }
            send(topic, "a" + sent, "b" + sent, "c" + sent);
            sent += 3;
            takeAll(topic, by, sent);
        }
        assertThat(effects).doesNotHaveDuplicates().hasSize(15);
        assertThat(topic.committed(consumer)).containsEntry(0, 15L);
    }

    @Test
    void endOfALogThatIsTakenFromItsEndIsFixedOnce() {
        KafkaTopic topic = topic();
        send(topic, "before 0", "before 1");
        plan.always(CrashPoint.BEFORE_WATERMARKS, () -> {
            throw new StoreUnavailableException("the test says so", null);
        });
        KafkaSource source = start(topic, Deduplication.WATERMARKS, "latest");
        await().atMost(PATIENCE).until(() -> plan.passages(CrashPoint.AFTER_COMMIT) == 1);
        send(topic, "after 0", "after 1");
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        source.close();
        assertThat(effects).isEmpty();
        plan.calm();
        start(topic, Deduplication.WATERMARKS, "latest");
        awaitEffects(2);
        assertThat(effects).containsExactly("after 0", "after 1");
    }

    @Test
    void partitionAddedToATopicThatIsReadFromItsEndBeginsAtItsFirstRecord() {
        KafkaTopic topic = topic();
        send(topic, "before");
        KafkaSource first = start(topic, Deduplication.WATERMARKS, "latest");
        await().atMost(PATIENCE).until(() -> topic.committed(consumer).equals(topic.ends()));
        first.close();
        topic.addPartitions(2);
        topic.send(topic.record("0", 1));
        start(topic, Deduplication.WATERMARKS, "latest");
        awaitEffects(1);
        assertThat(effects).containsExactly("0");
    }

    /** The group forgets its offsets when nobody was there for a week. */
    @Test
    void partitionAddedWhileTheGroupForgotItsOffsetsBeginsAtItsFirstRecord() {
        KafkaTopic topic = topic();
        send(topic, "before");
        KafkaSource first = start(topic, Deduplication.WATERMARKS, "latest");
        await().atMost(PATIENCE).until(() -> topic.committed(consumer).equals(topic.ends()));
        first.close();
        try (org.apache.kafka.clients.admin.Admin broker = kafka.admin()) {
            KafkaTopic.get(broker.deleteConsumerGroups(List.of(consumer)).all());
        }
        topic.addPartitions(2);
        topic.send(topic.record("0", 1));
        start(topic, Deduplication.WATERMARKS, "latest");
        awaitEffects(1);
        assertThat(effects).containsExactly("0");
    }

    @Test
    void allPartitionsOfATopicThatIsReadFromItsEndForTheFirstTimeBeginThere() {
        KafkaTopic topic = topic();
        topic.addPartitions(3);
        for (int partition = 0; partition < 3; partition++) {
            topic.send(topic.record("before " + partition, partition));
        }
        start(topic, Deduplication.WATERMARKS, "latest");
        await().atMost(PATIENCE).until(() -> topic.committed(consumer).equals(Map.of(0, 1L, 1, 1L, 2, 1L)));
        for (int partition = 0; partition < 3; partition++) {
            topic.send(topic.record(String.valueOf(partition), partition));
        }
        awaitEffects(3);
        assertThat(effects).containsExactlyInAnyOrder("0", "1", "2");
    }

    @Test
    void recordsThatKafkaHasDeletedAreNotPassedOver() {
        KafkaTopic topic = topic();
        send(topic, "0");
        takeAll(topic, Deduplication.WATERMARKS, 1);
        send(topic, "1", "2", "3");
        try (org.apache.kafka.clients.admin.Admin broker = kafka.admin()) {
            KafkaTopic.get(
                    broker.deleteRecords(Map.of(new TopicPartition(topic.name(), 0), RecordsToDelete.beforeOffset(3)))
                            .all());
        }
        KafkaSource source = start(topic, Deduplication.WATERMARKS, "earliest");
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        assertThat(source.problems())
                .singleElement()
                .asString()
                .contains(topic.name() + "-0 ", "out of range", "forget");
        assertThat(effects).containsExactly("0");
        // Somebody decides to go on with what is there.
        source.close();
        assertThat(effects).containsExactly("0");
        admin.forgetWatermarks(consumer, topic.name(), ANN);
        start(topic, Deduplication.WATERMARKS, "earliest");
        awaitEffects(2);
        assertThat(effects).containsExactly("0", "3");
    }

    @Tag("E5")
    @Test
    void partitionWhoseWatermarkIsForgottenBeginsAtTheGroupsOffsetWhereAutoOffsetResetIsNone() {
        KafkaTopic topic = topic();
        send(topic, "0", "1", "2");
        takeAll(topic, Deduplication.WATERMARKS, 3);
        resetOffset(topic, 0, 1);
        admin.forgetWatermarks(consumer, topic.name(), ANN);
        start(topic, Deduplication.WATERMARKS, "none");
        awaitEffects(5);
        assertThat(effects).containsExactly("0", "1", "2", "1", "2");
    }

    @Tag("E5")
    @Test
    void partitionWithoutAPositionHoldsBackNoOther() {
        KafkaTopic topic = KafkaTopic.create(kafka, consumer + "-topic", 2);
        toClose.add(topic);
        topic.send(topic.record("undecided", 0));
        topic.send(topic.record("a", 1));
        resetOffset(topic, 1, 0);
        KafkaSource source = start(topic, Deduplication.WATERMARKS, "none");
        awaitEffects(1);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains(topic.name() + "-0 ", "auto.offset.reset");
        topic.send(topic.record("b", 1));
        awaitEffects(2);
        assertThat(effects).containsExactly("a", "b");
    }
}
