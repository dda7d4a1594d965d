package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the other partitions of a source where one goes back, and the id of its topic has to be asked for anew. */
class OtherPartitionsTest {
    private static final TopicPartition BACK = new TopicPartition("t", 0);
    private static final TopicPartition SIBLING = new TopicPartition("t", 1);
    private static final TopicPartition STRANGER = new TopicPartition("u", 0);
    private static final List<TopicPartition> ALL = List.of(BACK, SIBLING, STRANGER);

    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final Queue<String> duplicates = new ConcurrentLinkedQueue<>();
    private final CountDownLatch inWork = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", store)
            .defaultType("text")
            .handle("text", PayloadDecoder.text(), (text, context) -> {
                if (text.startsWith("slow")) {
                    inWork.countDown();
                    assertThat(mayEnd.await(10, TimeUnit.SECONDS)).isTrue();
                }
                context.defer(() -> effects.add(text));
            })
            .listener(new InboxListener() {
                @Override
                public void onOutcome(String consumer, Message message, Outcome outcome) {
                    if (outcome instanceof Outcome.Duplicate) {
                        duplicates.add(new String(message.payload(), UTF_8));
                    }
                }
            })
            .build();

    /** The answers to questions for the ids of topics, in the order of the questions. */
    private final Map<String, Queue<CompletableFuture<String>>> answers = new ConcurrentHashMap<>();

    private final TopicIdentities identities = new TopicIdentities(
            topic -> {
                CompletableFuture<String> answer = new CompletableFuture<>();
                asked(topic).add(answer);
                return answer;
            },
            () -> {},
            // It stands still, so that nobody asks again because of the time that a slow machine takes.
            () -> 0,
            warning -> {});
    private final PollLoop.Settings settings = new PollLoop.Settings(
            "test",
            List.of("t", "u"),
            new RecordMapper(Map.of(), "id", "type", "content"),
            1000,
            1000,
            Duration.ofMillis(10),
            Duration.ofMillis(200),
            Duration.ofMillis(500),
            () -> 0);
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start("test", inbox, DeliverySettings.standard());
    private final Logs broker = new Logs();
    private final PollLoop loop = new PollLoop(
            settings,
            broker,
            identities,
            null,
            null,
            null,
            deliveryThreads,
            inbox.forSources(),
            new PollFailures("test", System::nanoTime),
            new UnreadablePartitions("test", System::nanoTime),
            new MissingTopics(List.of("t", "u"), topics -> Map.of(), () -> {}, System::nanoTime, warning -> {}),
            new BrokerSilence("test", "none", Duration.ZERO, System::nanoTime));
    private final Thread thread = new Thread(loop, "test");

    /** A stand-in that hands out what follows the position, as often as that goes back. */
    private static final class Logs extends MockConsumer<byte[], byte[]> {
        private final Map<TopicPartition, List<String>> logs = new ConcurrentHashMap<>();
        private final Map<TopicPartition, Long> committed = new ConcurrentHashMap<>();
        private final Queue<Runnable> before = new ConcurrentLinkedQueue<>();
        private final Queue<String> handedOut = new ConcurrentLinkedQueue<>();

        Logs() {
            super("earliest");
        }

        void assignAll() {
            updateBeginningOffsets(ALL.stream().collect(Collectors.toMap(each -> each, each -> 0L)));
            rebalance(ALL);
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            // The stand-in does not wait for records; without this the loop would take a whole processor.
            LockSupport.parkNanos(1_000_000);
            Runnable task = before.poll();
            if (task != null) {
                task.run();
            }
            for (TopicPartition partition : assignment()) {
                if (!paused().contains(partition)) {
                    feed(partition);
                }
            }
            return super.poll(Duration.ofMillis(1));
        }

        private void feed(TopicPartition partition) {
            List<String> log = logs.getOrDefault(partition, List.of());
            for (int offset = (int) position(partition); offset < log.size(); offset++) {
                handedOut.add(log.get(offset));
                addRecord(new ConsumerRecord<>(
                        partition.topic(),
                        partition.partition(),
                        offset,
                        null,
                        log.get(offset).getBytes(UTF_8)));
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
    }

    private Queue<CompletableFuture<String>> asked(String topic) {
        return answers.computeIfAbsent(topic, each -> new ConcurrentLinkedQueue<>());
    }

    /** Answers the next question for a topic. */
    private void tell(String topic) {
        await().until(() -> !asked(topic).isEmpty());
        asked(topic).remove().complete("kafka:cluster/" + topic + "/");
    }

    private void set(TopicPartition partition, String... records) {
        broker.logs.put(partition, List.of(records));
    }

    private List<String> effectsOf(String first) {
        return effects.stream()
                .filter(each -> each.replace("slow ", "").startsWith(first))
                .toList();
    }

    @BeforeEach
    void start() {
        thread.setDaemon(true);
        thread.start();
        set(BACK, "a0", "a1", "a2");
        set(SIBLING, "b0", "b1");
        set(STRANGER, "c0");
        broker.before.add(broker::assignAll);
        tell("t");
        tell("u");
    }

    @AfterEach
    void close() throws InterruptedException {
        mayEnd.countDown();
        loop.close();
        thread.join(TimeUnit.SECONDS.toMillis(20));
        assertThat(thread.isAlive()).isFalse();
        assertThat(loop.failure()).isNull();
    }

    /** The log was cut at 2; by then the others go on, and all of it comes with one poll. */
    private void cut() {
        await().untilAsserted(() -> {
            assertThat(broker.committed).containsEntry(BACK, 3L);
            assertThat(broker.committed).containsEntry(SIBLING, 2L);
            assertThat(broker.committed).containsEntry(STRANGER, 1L);
        });
        set(SIBLING, "b0", "b1", "slow b2", "b3");
        await().until(() -> inWork.getCount() == 0);
        await().until(() -> broker.handedOut.contains("b3"));
        broker.before.add(() -> {
            set(BACK, "a0", "a1", "new a2", "a3");
            set(SIBLING, "b0", "b1", "slow b2", "b3", "b4", "b5");
            set(STRANGER, "c0", "c1");
            broker.seek(BACK, 2);
        });
    }

    @Test
    void partitionOfTheSameTopicIsReadAgainWhereItWasAndInOrder() {
        cut();
        await().until(() -> !asked("t").isEmpty());
        mayEnd.countDown();
        await().untilAsserted(() -> assertThat(effectsOf("b")).containsExactly("b0", "b1", "slow b2", "b3"));
        assertThat(broker.handedOut).as("read, and to be read again").contains("b4", "b5");

        tell("t");
        await().untilAsserted(
                        () -> assertThat(effectsOf("b")).containsExactly("b0", "b1", "slow b2", "b3", "b4", "b5"));
        await().untilAsserted(() -> assertThat(broker.committed).containsEntry(SIBLING, 6L));
        await().untilAsserted(() -> assertThat(broker.committed).containsEntry(BACK, 4L));
        assertThat(effectsOf("a")).as("a place in the log is an id").containsExactly("a0", "a1", "a2", "a3");
        assertThat(duplicates).as("nothing but the place that was taken").containsExactly("new a2");
    }

    @Test
    void partitionOfAnotherTopicGoesOn() {
        cut();
        await().untilAsserted(() -> assertThat(effectsOf("c")).containsExactly("c0", "c1"));
        await().untilAsserted(() -> assertThat(broker.committed).containsEntry(STRANGER, 2L));
        assertThat(asked("t")).as("nobody has answered").hasSize(1);
        assertThat(asked("u")).isEmpty();
        assertThat(broker.handedOut.stream().filter("c1"::equals)).hasSize(1);
        tell("t");
        mayEnd.countDown();
        await().untilAsserted(() -> assertThat(broker.committed).containsEntry(SIBLING, 6L));
        assertThat(new ArrayList<>(duplicates)).containsExactly("new a2");
    }

    @Test
    void partitionThatTheStoreRefusedToBeginIsNoReasonToWaitForTheStoreWhileItsTopicIsNotIdentified() {
        await().untilAsserted(() -> assertThat(broker.committed).containsEntry(STRANGER, 1L));
        store.paused("test", true);
        broker.before.add(() -> {
            set(STRANGER, "c0", "c1");
            broker.rebalance(List.of(BACK, SIBLING));
            broker.rebalance(ALL);
        });
        tell("u");
        await().until(loop::isWaiting);

        // As where another partition of the topic is assigned.
        broker.before.add(() -> identities.forget("u"));
        await().until(() -> !asked("u").isEmpty());
        store.paused("test", false);
        await().until(() -> !loop.isWaiting());

        tell("u");
        await().untilAsserted(() -> assertThat(effectsOf("c")).containsExactly("c0", "c1"));
        assertThat(loop.isWaiting()).isFalse();
    }
}
