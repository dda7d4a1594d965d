package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a partition whose topic is another one of the same name by now, and of which Kafka reads on as if it were the same. */
@Tag("F04")
class TopicMadeAnewTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final List<String> OLD = List.of("old 0", "old 1", "old 2");
    private static final List<String> NEW = List.of("new 0", "new 1", "new 2", "new 3", "new 4");
    private static final List<String> BOTH =
            Stream.concat(OLD.stream(), NEW.stream()).toList();

    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<String>> questions = new ConcurrentLinkedQueue<>();
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong connections = new AtomicLong(1);
    private final AtomicLong waitForAnAnswer = new AtomicLong();
    private final AtomicLong polls = new AtomicLong();
    private volatile boolean isLate;
    private final FakeLog broker = new FakeLog();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", InMemoryStore.create())
            .defaultType("text")
            .handle("text", PayloadDecoder.text(), (text, context) -> context.defer(() -> effects.add(text)))
            .build();
    private final PollLoop loop = new PollLoop(
            new PollLoop.Settings(
                    "test",
                    List.of("t"),
                    new RecordMapper(Map.of(), "id", "type", "content"),
                    1000,
                    1000,
                    Duration.ofMillis(10),
                    Duration.ofMillis(200),
                    Duration.ofMillis(500),
                    now::get),
            broker,
            new TopicIdentities(
                    topic -> {
                        CompletableFuture<String> answer = new CompletableFuture<>();
                        now.addAndGet(waitForAnAnswer.get());
                        questions.add(answer);
                        return answer;
                    },
                    () -> {},
                    now::get,
                    warning -> {}),
            null,
            null,
            null,
            DeliveryThreads.start("test", inbox, DeliverySettings.standard()),
            inbox.forSources(),
            new PollFailures("test", now::get),
            new UnreadablePartitions("test", now::get),
            new MissingTopics(List.of("t"), topics -> Map.of(), () -> {}, now::get, warning -> {}),
            new BrokerSilence("test", "none", Duration.ZERO, now::get));
    private final Thread thread = new Thread(loop, "test");

    /** A stand-in that reads on at its offset whatever the topic is, and begins at 0 where nothing lies at its offset. */
    private final class FakeLog extends MockConsumer<byte[], byte[]> {
        private final Queue<Runnable> before = new ConcurrentLinkedQueue<>();
        private final Map<TopicPartition, Long> committed = new ConcurrentHashMap<>();
        private volatile List<String> log = OLD;

        FakeLog() {
            super("earliest");
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            LockSupport.parkNanos(1_000_000);
            polls.incrementAndGet();
            if (isLate) {
                now.addAndGet(Duration.ofSeconds(2).toNanos());
            }
            Runnable task = before.poll();
            if (task != null) {
                task.run();
            }
            if (assignment().contains(PARTITION) && !paused().contains(PARTITION)) {
                feed();
            }
            return super.poll(Duration.ofMillis(1));
        }

        private void feed() {
            long position = position(PARTITION);
            if (position > log.size()) {
                seek(PARTITION, 0);
                position = 0;
            }
            for (int offset = (int) position; offset < log.size(); offset++) {
                addRecord(new ConsumerRecord<>(
                        "t", 0, offset, null, log.get(offset).getBytes(UTF_8)));
            }
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
            offsets.forEach((partition, position) -> committed.put(partition, position.offset()));
            if (callback != null) {
                callback.onComplete(offsets, null);
            }
        }

        @Override
        public synchronized Map<MetricName, ? extends Metric> metrics() {
            MetricName name = new MetricName("connection-count", "consumer-metrics", "", Map.of());
            return Map.of(name, new Metric() {
                @Override
                public MetricName metricName() {
                    return name;
                }

                @Override
                public Object metricValue() {
                    return (double) connections.get();
                }
            });
        }
    }

    private void answer(String id) {
        await().until(() -> !questions.isEmpty());
        questions.remove().complete("kafka:cluster/" + id + "/");
    }

    private void awaitEffects(List<String> expected) {
        await().untilAsserted(() -> assertThat(effects).containsExactlyElementsOf(expected));
    }

    private void awaitTasks() {
        await().until(broker.before::isEmpty);
    }

    @BeforeEach
    void readTheOldTopic() {
        thread.setDaemon(true);
        thread.start();
        broker.before.add(() -> {
            broker.updateBeginningOffsets(Map.of(PARTITION, 0L));
            broker.rebalance(List.of(PARTITION));
        });
        answer("old");
        awaitEffects(OLD);
        await().untilAsserted(() -> assertThat(broker.committed).containsEntry(PARTITION, 3L));
    }

    @AfterEach
    void close() throws InterruptedException {
        loop.close();
        thread.join(TimeUnit.SECONDS.toMillis(20));
        assertThat(thread.isAlive()).isFalse();
        assertThat(loop.failure()).isNull();
    }

    /** Or the wait for one question would be the gap behind which the next is asked. */
    @Test
    void answerThatTakesLongerThanAGapIsWaitedForAndNotAskedForAgain() {
        waitForAnAnswer.set(Duration.ofMillis(1_200).toNanos());
        broker.before.add(() -> {
            now.addAndGet(Duration.ofSeconds(2).toNanos());
            broker.log = List.of("old 0", "old 1", "old 2", "old 3");
        });
        await().until(() -> !questions.isEmpty());
        long before = polls.get();
        await().until(() -> polls.get() > before + 20);

        assertThat(questions).hasSize(1);
        answer("old");
        awaitEffects(List.of("old 0", "old 1", "old 2", "old 3"));
    }

    @Test
    void whatComesBehindAGapIsTakenOnlyWhenTheTopicIsKnownToBeTheSame() {
        broker.before.add(() -> {
            now.addAndGet(Duration.ofSeconds(2).toNanos());
            broker.log = List.of("old 0", "old 1", "old 2", "old 3");
        });
        await().until(() -> !questions.isEmpty());
        assertThat(effects).containsExactlyElementsOf(OLD);
        answer("old");
        awaitEffects(List.of("old 0", "old 1", "old 2", "old 3"));
        await().untilAsserted(() -> assertThat(broker.committed).containsEntry(PARTITION, 4L));
    }

    @Test
    void topicThatIsAnotherOneBehindAGapIsReadFromItsBeginning() {
        broker.before.add(() -> {
            now.addAndGet(Duration.ofSeconds(2).toNanos());
            broker.log = NEW;
        });
        answer("new");
        awaitEffects(BOTH);
        await().untilAsserted(() -> assertThat(broker.committed).containsEntry(PARTITION, 5L));
    }

    @Test
    void memberThatIsAlwaysLateGetsOn() {
        isLate = true;
        List<String> more = IntStream.range(0, 20).mapToObj(i -> "old " + i).toList();
        broker.log = more;
        await().until(() -> {
            CompletableFuture<String> question = questions.poll();
            if (question != null) {
                question.complete("kafka:cluster/old/");
            }
            return effects.size() >= more.size();
        });
        assertThat(effects).containsExactlyElementsOf(more);
    }

    @Test
    void nothingIsCommittedToATopicOfWhichItIsUnknownWhetherItIsTheSame() {
        broker.log = List.of("old 0", "old 1", "old 2", "old 3");
        awaitEffects(broker.log);
        broker.committed.clear();
        broker.before.add(() -> now.addAndGet(Duration.ofSeconds(2).toNanos()));
        await().until(() -> !questions.isEmpty());
        // Committed again as soon as the group takes it for new, were it not for the question.
        broker.before.add(() -> broker.rebalance(List.of()));
        awaitTasks();
        broker.before.add(() -> {});
        awaitTasks();
        assertThat(broker.committed).isEmpty();
    }

    @Test
    void topicThatIsAnotherOneIsNoticedWithoutAGap() {
        broker.log = List.of("new 0", "new 1", "new 2");
        for (int i = 0; i < 20; i++) {
            broker.before.add(() -> now.addAndGet(Duration.ofMillis(300).toNanos()));
        }
        answer("new");
        awaitEffects(Stream.concat(OLD.stream(), broker.log.stream()).toList());
    }

    @Test
    void connectionThatComesBackIsAReasonToAskAndWhatItBringsWaits() {
        connections.set(0);
        await().until(loop::isDisconnected);
        broker.log = NEW;
        broker.before.add(() -> {});
        awaitTasks();
        assertThat(effects).containsExactlyElementsOf(OLD);
        connections.set(1);
        answer("new");
        awaitEffects(BOTH);
    }
}
