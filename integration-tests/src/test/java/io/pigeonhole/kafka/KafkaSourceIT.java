package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The source against a real broker, with a store in memory. One long class, because all its tests share one broker, which
 * takes longer to start than most of them to run.
 */
class KafkaSourceIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger topics = new AtomicInteger();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedKafka kafka;

    @SuppressWarnings("NullAway.Init")
    private static Admin admin;

    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final InMemoryStore store = InMemoryStore.create();
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final Queue<Message> received = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("NullAway.Init")
    private String consumer;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
        admin = kafka.admin();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
        admin.close(Duration.ZERO);
    }

    @BeforeEach
    void nameConsumer(TestInfo test) {
        consumer = "consumer-" + topics.incrementAndGet() + "-"
                + test.getTestMethod().orElseThrow().getName();
    }

    @AfterEach
    void closeAll() throws Exception {
        store.available(true);
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    private KafkaTopic topic(int partitions) {
        KafkaTopic topic = KafkaTopic.create(kafka, "topic-" + topics.incrementAndGet(), partitions);
        toClose.add(topic);
        return topic;
    }

    private InboxBuilder<InMemoryContext> inboxBuilder(String name) {
        return Inbox.builder(name, store);
    }

    /** Writes the payload, as the id of its message, into the effects. */
    private Inbox<InMemoryContext> inbox(String name) {
        return inboxBuilder(name)
                .handle("test", PayloadDecoder.bytes(), (payload, context) -> {
                    received.add(context.message());
                    String effect = new String(payload, UTF_8);
                    context.defer(() -> effects.add(effect));
                })
                .build();
    }

    private Map<String, Object> config() {
        return Map.of("bootstrap.servers", kafka.bootstrapServers());
    }

    private KafkaSource start(Inbox<?> inbox, KafkaTopic topic) {
        return start(inbox, topic, config(), builder -> builder);
    }

    private KafkaSource start(
            Inbox<?> inbox, KafkaTopic topic, Map<String, Object> config, UnaryOperator<KafkaSourceBuilder> settings) {
        KafkaSource source =
                settings.apply(KafkaSource.builder(inbox, config, topic.name())).build();
        toClose.add(source);
        source.start();
        return source;
    }

    private static Map<String, Object> with(Map<String, Object> config, Object... more) {
        Map<String, Object> all = new java.util.HashMap<>(config);
        for (int i = 0; i < more.length; i += 2) {
            all.put((String) more[i], more[i + 1]);
        }
        return all;
    }

    private void awaitEffects(int count) {
        await().atMost(PATIENCE).until(() -> effects.size() >= count);
    }

    private void awaitCommitted(KafkaTopic topic) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(topic.committed(consumer)).isEqualTo(topic.ends()));
    }

    private void assertEachOnce(int count) {
        assertThat(effects)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, count).mapToObj(String::valueOf).toList());
    }

    private DeadLetter awaitDeadLetter() {
        await().atMost(PATIENCE).until(() -> !store.deadLetters(consumer).isEmpty());
        assertThat(store.deadLetters(consumer)).hasSize(1);
        return store.deadLetters(consumer).get(0);
    }

    @Test
    void eachRecordTakesEffectOnceAndKeysKeepTheirOrder() {
        KafkaTopic topic = topic(3);
        topic.sendMany(2_000, 17);
        KafkaSource source = start(inbox(consumer), topic);
        awaitEffects(2_000);
        assertEachOnce(2_000);
        for (int key = 0; key < 17; key++) {
            int wanted = key;
            assertThat(effects.stream().map(Integer::valueOf).filter(id -> id % 17 == wanted))
                    .isSorted();
        }
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
        awaitCommitted(topic);
    }

    @Test
    void recordsWithoutAKeyKeepTheOrderOfTheirPartition() {
        KafkaTopic topic = topic(1);
        for (int i = 0; i < 200; i++) {
            topic.send(String.valueOf(i), null);
        }
        start(inbox(consumer), topic);
        awaitEffects(200);
        assertThat(effects.stream().map(Integer::valueOf)).isSorted();
    }

    @Test
    void duplicatesOfTheProducerTakeEffectOnce() {
        KafkaTopic topic = topic(2);
        topic.sendMany(100, 5);
        topic.sendMany(100, 7);
        start(inbox(consumer), topic);
        awaitCommittedEnds(topic);
        assertEachOnce(100);
    }

    private void awaitCommittedEnds(KafkaTopic topic) {
        await().atMost(PATIENCE).until(() -> topic.committed(consumer).equals(topic.ends()));
    }

    @Test
    void tombstonesAndEmptyPayloadsAreToldApart() {
        KafkaTopic topic = topic(1);
        topic.send(topic.record("tombstone", "k", null));
        topic.send(topic.record("empty", "k", new byte[0]));
        start(inbox(consumer), topic);
        awaitEffects(2);
        assertThat(received).extracting(Message::isTombstone).containsExactly(true, false);
        assertThat(received).allSatisfy(message -> assertThat(message.payload()).isEmpty());
    }

    @Test
    void recordIsTakenOverAsItIs() {
        KafkaTopic topic = topic(2);
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic.name(), 1, new byte[] {0, (byte) 0xff}, new byte[] {0, 1, (byte) 0x80});
        record.headers()
                .add("message-type", "test".getBytes(UTF_8))
                .add("message-id", new byte[] {'i', 0, (byte) 0xff})
                .add("content-type", "application/x-bytes".getBytes(UTF_8))
                .add("null", null)
                .add("twice", new byte[] {0})
                .add("twice", new byte[0])
                .add("name with \0", "value with \0".getBytes(UTF_8));
        topic.send(record);
        start(inbox(consumer), topic);
        awaitEffects(1);
        Message message = received.element();
        assertThat(message.id()).isNotNull();
        assertThat(message.id().toBytes()).containsExactly('i', 0, 0xff);
        assertThat(message.source()).isEqualTo(topic.name());
        assertThat(message.type()).isEqualTo("test");
        assertThat(message.contentType()).isEqualTo("application/x-bytes");
        assertThat(message.orderingKey()).containsExactly(0, 0xff);
        assertThat(message.payload()).containsExactly(0, 1, 0x80);
        assertThat(message.origin()).isEqualTo(topic.name() + "-1@0");
        assertThat(message.headers().list())
                .contains(
                        new Header("null", null),
                        new Header("twice", new byte[] {0}),
                        new Header("twice", new byte[0]),
                        new Header("name with \0", "value with \0".getBytes(UTF_8)));
    }

    @Test
    void typeThatIsNoTextBecomesADeadLetter() {
        KafkaTopic topic = topic(1);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic.name(), new byte[] {1});
        record.headers().add("message-id", "1".getBytes(UTF_8)).add("message-type", new byte[] {0, (byte) 0xff, 'x'});
        topic.send(record);
        start(inbox(consumer), topic);
        assertThat(awaitDeadLetter().reason()).isEqualTo(DeadReason.UNKNOWN_TYPE);
        awaitCommitted(topic);
    }

    @Test
    void hugeRecordBecomesADeadLetterWithItsBytes() {
        KafkaTopic topic = topic(1);
        byte[] huge = new byte[900_000];
        Arrays.fill(huge, (byte) 7);
        topic.send(topic.record("huge", "k", huge));
        topic.send("next", "k");
        Inbox<InMemoryContext> inbox = inboxBuilder(consumer)
                .payloadLimit(100_000)
                .handle("test", PayloadDecoder.text(), (text, context) -> context.defer(() -> effects.add(text)))
                .build();
        start(inbox, topic);
        awaitEffects(1);
        assertThat(effects).containsExactly("next");
        assertThat(awaitDeadLetter().message().payload()).isEqualTo(huge);
        awaitCommitted(topic);
    }

    @Test
    void recordWithoutAnIdBecomesADeadLetterWithItsBytesAndPlace() {
        KafkaTopic topic = topic(1);
        topic.send(topic.record(null, "k", "no id".getBytes(UTF_8)));
        ProducerRecord<byte[], byte[]> emptyId = topic.record("", "k", "empty id".getBytes(UTF_8));
        topic.send(emptyId);
        topic.send("with id", "k");
        start(inbox(consumer), topic);
        awaitEffects(1);
        assertThat(store.deadLetters(consumer))
                .extracting(dead -> new String(dead.message().payload(), UTF_8))
                .containsExactly("no id", "empty id");
        assertThat(store.deadLetters(consumer))
                .extracting(dead -> dead.message().origin())
                .containsExactly(topic.name() + "-0@0", topic.name() + "-0@1");
        awaitCommitted(topic);
    }

    @Test
    void transportFallbackTellsRedeliveriesApartAndSaysWhatItIs() {
        KafkaTopic topic = topic(1);
        topic.send(topic.record(null, "k", "0".getBytes(UTF_8)));
        topic.send("1", "k");
        Inbox<InMemoryContext> inbox = inbox(consumer);
        start(inbox, topic, config(), builder -> builder.idFallback(IdFallback.TRANSPORT));
        awaitEffects(2);
        assertThat(received.stream().map(message -> String.valueOf(message.id())))
                .anyMatch("1"::equals)
                .anyMatch(id -> id.matches("kafka:[\\w-]{22}/[\\w-]{22}/0/0"));
        // Another group reads the same records from the beginning: as after the loss of all offsets.
        start(
                inbox,
                topic,
                with(config(), "group.id", consumer + "-again"),
                builder -> builder.idFallback(IdFallback.TRANSPORT));
        await().atMost(PATIENCE)
                .until(() -> topic.committed(consumer + "-again").equals(topic.ends()));
        assertEachOnce(2);
    }

    @Test
    void transportFallbackIsNotFooledByATopicMadeAnew() {
        KafkaTopic topic = topic(1);
        IntStream.range(0, 5).forEach(i -> topic.send(topic.record(null, "k", ("old " + i).getBytes(UTF_8))));
        start(
                inbox(consumer),
                topic,
                with(config(), "metadata.max.age.ms", 500),
                builder -> builder.idFallback(IdFallback.TRANSPORT));
        awaitEffects(5);
        awaitCommitted(topic);
        topic.recreate();
        IntStream.range(0, 3).forEach(i -> topic.send(topic.record(null, "k", ("new " + i).getBytes(UTF_8))));
        awaitEffects(8);
        assertThat(effects).contains("new 0", "new 1", "new 2").hasSize(8);
    }

    /** Without an offset in the group, each consumer would begin behind what came before it. */
    @Test
    void whatComesBetweenTwoStartsIsNotLeftOutWhereTheSourceBeginsAtTheEnd() {
        KafkaTopic topic = topic(1);
        topic.send("before the source", "k");
        Map<String, Object> latest = with(config(), "auto.offset.reset", "latest");
        KafkaSource first = start(inbox(consumer), topic, latest, builder -> builder);
        await().atMost(PATIENCE).until(() -> topic.committed(consumer).equals(topic.ends()));
        first.close();
        topic.send("0", "k");
        topic.send("1", "k");
        start(inbox(consumer), topic, latest, builder -> builder);
        awaitEffects(2);
        assertEachOnce(2);
    }

    @Test
    void whatComesWhileTheConsumerIsPausedIsNotLeftOutWhereTheSourceBeginsAtTheEnd() {
        KafkaTopic topic = topic(1);
        topic.send("before the source", "k");
        Map<String, Object> latest = with(config(), "auto.offset.reset", "latest");
        Inbox<InMemoryContext> inbox = inbox(consumer);
        store.paused(consumer, true);
        KafkaSource first = start(inbox, topic, latest, builder -> builder);
        await().atMost(PATIENCE).until(() -> topic.committed(consumer).equals(topic.ends()));
        topic.send("0", "k");
        await().atMost(PATIENCE).until(() -> first.state() == SourceState.WAITING_FOR_STORE);
        assertThat(first.problems())
                .singleElement()
                .asString()
                .contains("consumer '" + consumer + "' is paused", "Admin.resume");
        first.close();
        store.paused(consumer, false);
        start(inbox, topic, latest, builder -> builder);
        awaitEffects(1);
        assertEachOnce(1);
    }

    /** Kafka goes on at the end, and would do so once more at each restart before the next record. */
    @Test
    void whatComesBehindAPositionThatRetentionHasPassedIsNotLeftOutWhereTheSourceBeginsAtTheEnd() {
        KafkaTopic topic = topic(1);
        topic.send("before the source", "k");
        Map<String, Object> latest = with(config(), "auto.offset.reset", "latest");
        KafkaSource first = start(inbox(consumer), topic, latest, builder -> builder);
        awaitCommittedEnds(topic);
        first.close();
        for (int i = 0; i < 5; i++) {
            topic.send("gone before anybody came " + i, "k");
        }
        topic.deleteRecordsBefore(0, 4);
        KafkaSource second = start(inbox(consumer), topic, latest, builder -> builder);
        awaitCommittedEnds(topic);
        second.close();
        topic.send("0", "k");
        start(inbox(consumer), topic, latest, builder -> builder);
        awaitEffects(1);
        assertEachOnce(1);
    }

    @Test
    void partitionAddedBetweenTwoRunsBeginsAtItsFirstRecordWhereTheSourceBeginsAtTheEnd() {
        KafkaTopic topic = topic(1);
        topic.send("before the source", "k");
        Map<String, Object> latest = with(config(), "auto.offset.reset", "latest");
        KafkaSource first = start(inbox(consumer), topic, latest, builder -> builder);
        awaitCommittedEnds(topic);
        first.close();
        topic.addPartitions(3);
        topic.send(topic.record("0", 1));
        topic.send(topic.record("1", 2));
        start(inbox(consumer), topic, latest, builder -> builder);
        awaitEffects(2);
        assertEachOnce(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void partitionAddedWhileTheSourceRunsBeginsAtItsFirstRecordWhereTheSourceBeginsAtTheEnd(String protocol) {
        KafkaTopic topic = topic(2);
        topic.send(topic.record("before the source", 0));
        topic.send(topic.record("before the source", 1));
        Map<String, Object> latest =
                with(config(), "auto.offset.reset", "latest", "group.protocol", protocol, "metadata.max.age.ms", 3_000);
        KafkaSource source = start(inbox(consumer), topic, latest, builder -> builder);
        awaitCommittedEnds(topic);
        topic.addPartitions(3);
        topic.send(topic.record("0", 2));
        topic.send(topic.record("1", 0));
        awaitEffects(2);
        assertEachOnce(2);
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
        // Where the group has an offset of it, the partition is like any other.
        await().atMost(PATIENCE).until(() -> topic.committed(consumer).containsKey(2));
        source.close();
        topic.send(topic.record("2", 2));
        start(inbox(consumer), topic, latest, builder -> builder);
        awaitEffects(3);
        assertEachOnce(3);
    }

    @Test
    void abortedTransactionsAreNotSeenAndOffsetsPassThem() {
        KafkaTopic plain = topic(1);
        KafkaTopic topic = KafkaTopic.of(kafka, plain.name(), 1, Map.of("transactional.id", consumer));
        toClose.add(topic);
        topic.producer().initTransactions();
        for (int i = 0; i < 4; i++) {
            topic.producer().beginTransaction();
            String id = i % 2 == 0 ? String.valueOf(i / 2) : "aborted";
            topic.send(id, "k");
            if (i % 2 == 0) {
                topic.producer().commitTransaction();
            } else {
                topic.producer().abortTransaction();
            }
        }
        start(inbox(consumer), topic);
        awaitEffects(2);
        awaitCommitted(topic);
        assertEachOnce(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void rebalancesLoseAndDuplicateNothing(String protocol) {
        KafkaTopic topic = topic(4);
        Inbox<InMemoryContext> inbox = inbox(consumer);
        Map<String, Object> config = with(config(), "group.protocol", protocol, "max.poll.records", 50);
        KafkaSource first = start(inbox, topic, config, builder -> builder.maxBatch(20));
        topic.sendMany(1_000, 50);
        awaitEffects(100);
        KafkaSource second = start(inbox, topic, config, builder -> builder.maxBatch(20));
        for (int i = 1_000; i < 2_000; i++) {
            topic.send(String.valueOf(i), "key " + i % 50);
        }
        await().atMost(PATIENCE).until(() -> members().size() == 2);
        first.close();
        for (int i = 2_000; i < 2_500; i++) {
            topic.send(String.valueOf(i), "key " + i % 50);
        }
        awaitEffects(2_500);
        awaitCommitted(topic);
        assertEachOnce(2_500);
        assertThat(first.state()).isEqualTo(SourceState.CLOSED);
        assertThat(second.state()).isEqualTo(SourceState.RUNNING);
    }

    private List<String> members() {
        ConsumerGroupDescription group = KafkaTopic.get(
                        admin.describeConsumerGroups(List.of(consumer)).all())
                .get(consumer);
        return group == null
                ? List.of()
                : group.members().stream().map(MemberDescription::consumerId).toList();
    }

    @Tag("full")
    @Test
    void whileTheDatabaseIsAwayTheMemberKeepsItsPlaceAndThenGoesOnByItself() {
        KafkaTopic topic = topic(2);
        Map<String, Object> config = with(
                config(), "session.timeout.ms", 1_000, "heartbeat.interval.ms", 200, "max.poll.interval.ms", 1_500);
        topic.sendMany(10, 3);
        KafkaSource source =
                start(inbox(consumer), topic, config, builder -> builder.revocationTimeout(Duration.ofSeconds(1)));
        awaitEffects(10);
        awaitCommitted(topic);
        List<String> membersBefore = members();

        store.available(false);
        IntStream.range(10, 600).forEach(i -> topic.send(String.valueOf(i), "key " + i % 3));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        // Longer than the group tolerates a member that does not poll.
        await().during(Duration.ofSeconds(3))
                .atMost(PATIENCE)
                .until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        assertThat(members()).isEqualTo(membersBefore).hasSize(1);
        assertThat(effects).hasSize(10);

        store.available(true);
        awaitEffects(600);
        awaitCommitted(topic);
        assertThat(members()).isEqualTo(membersBefore);
        assertEachOnce(600);
        assertThat(store.parked(consumer)).isEmpty();
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    @Test
    void offsetsNeverPassAnUnfinishedMessage() throws InterruptedException {
        KafkaTopic topic = topic(1);
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Inbox<InMemoryContext> inbox = inboxBuilder(consumer)
                .handle("test", PayloadDecoder.text(), (text, context) -> {
                    if (text.equals("5")) {
                        inWork.countDown();
                        assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
                    }
                    context.defer(() -> effects.add(text));
                })
                .build();
        for (int i = 0; i < 5; i++) {
            topic.send(String.valueOf(i), "key " + i);
        }
        start(inbox, topic, config(), builder -> builder.maxBatch(1).commitInterval(Duration.ofMillis(50)));
        awaitEffects(5);
        topic.send("5", "key 5");
        assertThat(inWork.await(30, TimeUnit.SECONDS)).isTrue();
        int sent = 6;
        // Keys whose delivery thread is not the one that hangs.
        while (effects.size() < 25) {
            topic.send(String.valueOf(sent), "key " + sent);
            sent++;
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(topic.committed(consumer)).containsEntry(0, 5L));
        await().during(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(topic.committed(consumer)).containsEntry(0, 5L));
        mayEnd.countDown();
        awaitEffects(sent);
        awaitCommitted(topic);
        assertEachOnce(sent);
    }

    @Tag("full")
    @Test
    void partitionDoesNotRunAheadOfItsWindow() throws InterruptedException {
        KafkaTopic topic = topic(1);
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Inbox<InMemoryContext> inbox = inboxBuilder(consumer)
                .handle("test", PayloadDecoder.text(), (text, context) -> {
                    if (text.equals("0")) {
                        inWork.countDown();
                        assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
                    }
                    context.defer(() -> effects.add(text));
                })
                .build();
        topic.send("0", "key 0");
        start(
                inbox,
                topic,
                with(config(), "max.poll.records", 10),
                builder -> builder.maxBatch(1).window(100));
        assertThat(inWork.await(30, TimeUnit.SECONDS)).isTrue();
        IntStream.range(1, 1_000).forEach(i -> topic.send(String.valueOf(i), "key " + i));
        await().during(Duration.ofSeconds(1)).atMost(PATIENCE).until(() -> effects.size() <= 110);
        mayEnd.countDown();
        awaitEffects(1_000);
        assertEachOnce(1_000);
    }

    @Test
    void smallBoundsHoldThePollingBackAndLoseNothing() {
        KafkaTopic topic = topic(3);
        topic.sendMany(1_000, 30);
        start(
                inbox(consumer),
                topic,
                with(config(), "max.poll.records", 5),
                builder -> builder.concurrency(2).maxBatch(3).maxUnfinished(10, 100));
        awaitEffects(1_000);
        awaitCommitted(topic);
        assertEachOnce(1_000);
    }

    @Test
    void closingFinishesWhatIsInWorkAndCommitsIt() throws InterruptedException {
        KafkaTopic topic = topic(1);
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Inbox<InMemoryContext> inbox = inboxBuilder(consumer)
                .handle("test", PayloadDecoder.text(), (text, context) -> {
                    inWork.countDown();
                    assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
                    context.defer(() -> effects.add(text));
                })
                .build();
        topic.send("0", "k");
        // No regular commit: only closing can have done it.
        KafkaSource source = start(inbox, topic, config(), builder -> builder.commitInterval(Duration.ofHours(1)));
        assertThat(inWork.await(30, TimeUnit.SECONDS)).isTrue();
        Thread closing = new Thread(source::close);
        closing.start();
        await().during(Duration.ofMillis(300)).atMost(PATIENCE).until(closing::isAlive);
        mayEnd.countDown();
        closing.join(PATIENCE.toMillis());
        assertThat(closing.isAlive()).isFalse();
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
        assertThat(effects).containsExactly("0");
        assertThat(topic.committed(consumer)).isEqualTo(topic.ends());
    }

    @Test
    void handlerThatHangsIsGivenUpInARevocationAndStillTakesEffectOnce() throws InterruptedException {
        KafkaTopic topic = topic(1);
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Inbox<InMemoryContext> inbox = inboxBuilder(consumer)
                .handlerTimeout(Duration.ofMinutes(5))
                .handle("test", PayloadDecoder.text(), (text, context) -> {
                    if (text.equals("0")) {
                        inWork.countDown();
                        assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
                    }
                    context.defer(() -> effects.add(text));
                })
                .build();
        topic.send("0", "k");
        KafkaSource first = start(inbox, topic, config(), builder -> builder.closeTimeout(Duration.ofMillis(200)));
        assertThat(inWork.await(30, TimeUnit.SECONDS)).isTrue();
        topic.send("1", "k");
        topic.send("2", "other");
        Thread closing = new Thread(first::close);
        closing.start();
        start(inbox, topic);
        // The concurrent duplicate in flight keeps its own key back, and no other.
        awaitEffects(1);
        assertThat(effects).containsExactly("2");
        mayEnd.countDown();
        closing.join(PATIENCE.toMillis());
        awaitEffects(3);
        awaitCommitted(topic);
        assertEachOnce(3);
    }

    @Test
    void inboxesOfOneTopicDoNotDisturbEachOther() {
        KafkaTopic topic = topic(2);
        topic.sendMany(100, 10);
        start(inbox(consumer), topic);
        start(inbox(consumer + "-other"), topic);
        awaitEffects(200);
        awaitCommitted(topic);
        assertThat(store.processed(consumer)).hasSize(100);
        assertThat(store.processed(consumer + "-other")).hasSize(100);
    }

    @Test
    void topicsWithOneSourceNameShareTheirIds() {
        KafkaTopic topic = topic(1);
        KafkaTopic retries = topic(1);
        Inbox<InMemoryContext> inbox = inbox(consumer);
        KafkaSource source = KafkaSource.builder(inbox, config(), topic.name(), retries.name())
                .sourceName(name -> "payments")
                .build();
        toClose.add(source);
        topic.send("0", "k");
        retries.send("0", "k");
        retries.send("1", "k");
        source.start();
        awaitEffects(2);
        awaitCommitted(topic);
        awaitCommitted(retries);
        assertEachOnce(2);
    }

    @Test
    void failingMessageIsParkedAndHoldsNothingUp() {
        KafkaTopic topic = topic(1);
        topic.sendMany(10, 2);
        Inbox<InMemoryContext> inbox = inboxBuilder(consumer)
                .handle("test", PayloadDecoder.text(), (text, context) -> {
                    if (text.equals("3")) {
                        throw new IllegalStateException("always");
                    }
                    context.defer(() -> effects.add(text));
                })
                .build();
        start(inbox, topic);
        awaitEffects(9);
        awaitCommitted(topic);
        assertThat(store.parked(consumer)).hasSize(1);
    }

    @Test
    void refusalForGoodStopsTheSourceAndTellsWhy() {
        KafkaTopic topic = topic(1);
        topic.send("0", "k");
        Map<String, Object> config = with(config(), "group.instance.id", "one");
        KafkaSource source = start(inbox(consumer), topic, config, builder -> builder);
        awaitEffects(1);
        KafkaSource sameId = start(inbox(consumer), topic, config, builder -> builder);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
        assertThat(source.failure()).isInstanceOf(FencedInstanceIdException.class);
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.FAILED);
        assertThat(sameId.failure()).isNull();
        assertThat(members()).hasSize(1);
    }

    @Tag("E5")
    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void partitionWithoutAnOffsetHoldsBackNoOther(String protocol) {
        KafkaTopic topic = topic(2);
        Map<String, Object> config = with(config(), "group.protocol", protocol, "auto.offset.reset", "none");
        sendTo(topic, 0, "undecided");
        sendTo(topic, 1, "passed over");
        commit(topic, 1, 1);
        sendTo(topic, 1, "good 0");
        KafkaSource source = start(inbox(consumer), topic, config, builder -> builder);
        awaitEffects(1);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains(topic.name() + "-0 ", "--reset-offsets");
        sendTo(topic, 1, "good 1");
        awaitEffects(2);
        source.close();
        assertThat(effects).containsExactly("good 0", "good 1");
        assertThat(topic.committed(consumer)).isEqualTo(Map.of(1, 3L));
        commit(topic, 0, 0);
        KafkaSource decided = start(inbox(consumer), topic, config, builder -> builder);
        awaitEffects(3);
        assertThat(effects).containsExactly("good 0", "good 1", "undecided");
        await().atMost(PATIENCE).until(() -> decided.state() == SourceState.RUNNING);
    }

    @Tag("E5")
    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void partitionWhoseNextRecordKafkaHasDeletedHoldsBackNoOther(String protocol) {
        KafkaTopic topic = topic(2);
        Map<String, Object> config = with(config(), "group.protocol", protocol, "auto.offset.reset", "none");
        for (int i = 0; i < 3; i++) {
            sendTo(topic, 0, "kept or deleted " + i);
        }
        KafkaTopic.get(admin.deleteRecords(Map.of(new TopicPartition(topic.name(), 0), RecordsToDelete.beforeOffset(2)))
                .all());
        commit(topic, 0, 1);
        commit(topic, 1, 0);
        sendTo(topic, 1, "good 0");
        KafkaSource source = start(inbox(consumer), topic, config, builder -> builder);
        awaitEffects(1);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains(topic.name() + "-0 ");
        sendTo(topic, 1, "good 1");
        awaitEffects(2);
        source.close();
        assertThat(effects).containsExactly("good 0", "good 1");
        assertThat(topic.committed(consumer)).isEqualTo(Map.of(0, 1L, 1, 2L));
    }

    /** As an operator does while the group has no members. */
    private void commit(KafkaTopic topic, int partition, long offset) {
        KafkaTopic.get(admin.alterConsumerGroupOffsets(
                        consumer, Map.of(new TopicPartition(topic.name(), partition), new OffsetAndMetadata(offset)))
                .all());
    }

    @Tag("E10")
    @Test
    void partitionWhoseBatchIsCorruptHoldsBackNoOther() throws IOException {
        KafkaTopic topic = topic(2);
        sendTo(topic, 0, "bad");
        for (int i = 0; i < 5; i++) {
            sendTo(topic, 1, "good " + i);
        }
        corruptLastByte(topic.name() + "-0");
        KafkaSource source = start(inbox(consumer), topic);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains(topic.name() + "-0 ");
        awaitEffects(5);
        sendTo(topic, 1, "good 5");
        awaitEffects(6);
        assertThat(effects).allMatch(effect -> effect.startsWith("good"));
        assertThat(topic.committed(consumer)).doesNotContainEntry(0, 1L);
        assertThat(source.failure()).isNull();
    }

    private static void sendTo(KafkaTopic topic, int partition, String id) {
        topic.send(topic.record(id, partition));
    }

    private static void corruptLastByte(String partition) throws IOException {
        Path log;
        try (Stream<Path> files = Files.walk(directory)) {
            log = files.filter(file -> file.toString().endsWith(partition + "/00000000000000000000.log"))
                    .findFirst()
                    .orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
            file.seek(file.length() - 1);
            int last = file.read();
            file.seek(file.length() - 1);
            file.write(last ^ 1);
        }
    }

    /** It takes connections, and says nothing: as behind a firewall that drops what comes later. */
    @Tag("E5")
    @Test
    void sourceWhoseBrokerDoesNotAnswerSaysSoUntilItDoes() throws IOException {
        KafkaTopic topic = topic(1);
        AtomicLong skipped = new AtomicLong();
        try (SilentBroker broker = new SilentBroker(kafka.bootstrapServers())) {
            KafkaSource source = KafkaSource.builder(
                            inbox(consumer), Map.of("bootstrap.servers", broker.address()), topic.name())
                    .build(() -> System.nanoTime() + skipped.get());
            toClose.add(source);
            source.start();
            await().atMost(PATIENCE).until(() -> {
                skipped.addAndGet(Duration.ofSeconds(1).toNanos());
                return source.problems().stream().anyMatch(problem -> problem.contains("has answered for"));
            });
            assertThat(source.problems()).singleElement().asString().contains("no broker of " + broker.address());
            assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
            broker.answer();
            topic.send("0", "k");
            awaitEffects(1);
            await().atMost(PATIENCE).until(() -> source.state() == SourceState.RUNNING);
            assertThat(source.problems()).isEmpty();
        }
    }

    @Tag("E5")
    @Test
    void sourceWithoutAConnectionToAnyBrokerSaysSo() throws IOException {
        KafkaTopic topic = topic(1);
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        KafkaSource source =
                start(inbox(consumer), topic, Map.of("bootstrap.servers", "127.0.0.1:" + port), builder -> builder);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_BROKER);
        assertThat(source.problems()).singleElement().asString().contains("127.0.0.1:" + port);
        KafkaSource connected = start(inbox(consumer), topic);
        topic.send("0", "k");
        awaitEffects(1);
        assertThat(connected.state()).isEqualTo(SourceState.RUNNING);
    }
}
