package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a real broker does too seldom to be tested with: errors and rebalances at chosen moments. */
class PollLoopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final CountDownLatch inWork = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final List<KafkaSource> died = new ArrayList<>();
    private final FakeBroker broker = new FakeBroker();
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
            .build();
    private final KafkaSource source = KafkaSource.builder(inbox, Map.of("bootstrap.servers", "none"), "t")
            .commitInterval(Duration.ofMillis(10))
            .closeTimeout(Duration.ofMillis(500))
            .revocationTimeout(Duration.ofMillis(200))
            .consumerFactory(config -> broker)
            .build();

    /** Kafka's own stand-in for a consumer; it shows the listener, and can refuse commits. */
    private static final class FakeBroker extends MockConsumer<byte[], byte[]> {
        private final Queue<Map<TopicPartition, OffsetAndMetadata>> commits = new ConcurrentLinkedQueue<>();
        private final AtomicInteger refusals = new AtomicInteger();
        private final Set<String> callsToInterrupt = ConcurrentHashMap.newKeySet();
        private volatile @Nullable ConsumerRebalanceListener listener;

        FakeBroker() {
            super("earliest");
        }

        @Override
        public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
            this.listener = listener;
            super.subscribe(topics, listener);
        }

        /** As a consumer of the newer group protocol does it: an interrupted thread is refused every call. */
        private void refuseInterrupted(String call) {
            if (callsToInterrupt.remove(call)) {
                Thread.currentThread().interrupt();
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptException("at " + call);
            }
        }

        @Override
        public void seek(TopicPartition partition, OffsetAndMetadata position) {
            refuseInterrupted("seek");
            super.seek(partition, position);
        }

        @Override
        public synchronized void pause(Collection<TopicPartition> partitions) {
            refuseInterrupted("pause");
            super.pause(partitions);
        }

        @Override
        public synchronized void resume(Collection<TopicPartition> partitions) {
            refuseInterrupted("resume");
            super.resume(partitions);
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
            refuseInterrupted("commitAsync");
            commits.add(offsets);
            if (callback != null) {
                boolean refused = refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
                callback.onComplete(offsets, refused ? new RebalanceInProgressException("soon") : null);
            }
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            refuseInterrupted("commitSync");
            commits.add(offsets);
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // The test must get in while it waits.
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            // The stand-in does not wait for records; without this the loop would take a whole processor.
            LockSupport.parkNanos(1_000_000);
            return super.poll(timeout);
        }

        ConsumerRebalanceListener listener() {
            ConsumerRebalanceListener subscribed = listener;
            if (subscribed == null) {
                throw new IllegalStateException("nobody has subscribed");
            }
            return subscribed;
        }

        void assign() {
            schedulePollTask(() -> {
                rebalance(List.of(PARTITION));
                updateBeginningOffsets(Map.of(PARTITION, 0L));
                listener().onPartitionsAssigned(List.of(PARTITION));
            });
        }

        void send(long offset, String text) {
            RecordHeaders headers = new RecordHeaders();
            headers.add("message-id", text.getBytes(UTF_8));
            schedulePollTask(() -> add(offset, text, headers));
        }

        void sendTogether(Map<Long, String> records) {
            schedulePollTask(() -> new TreeMap<>(records).forEach((offset, text) -> {
                RecordHeaders headers = new RecordHeaders();
                headers.add("message-id", text.getBytes(UTF_8));
                add(offset, text, headers);
            }));
        }

        private void add(long offset, String text, RecordHeaders headers) {
            addRecord(new ConsumerRecord<>(
                    "t",
                    0,
                    offset,
                    0L,
                    TimestampType.CREATE_TIME,
                    0,
                    0,
                    null,
                    text.getBytes(UTF_8),
                    headers,
                    java.util.Optional.empty()));
        }

        List<Long> committed() {
            return commits.stream()
                    .map(offsets -> offsets.get(PARTITION))
                    .map(position -> position == null ? -1L : position.offset())
                    .toList();
        }
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        died.forEach(KafkaSource::close);
        source.close();
    }

    private void startWithPartition() {
        source.start();
        broker.assign();
    }

    private void awaitEffects(String... texts) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects).contains(texts));
    }

    private void awaitCommit(long position) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(broker.committed()).contains(position));
    }

    @Test
    void commitThatWasRefusedIsSentAgain() {
        broker.refusals.set(2);
        startWithPartition();
        broker.send(0, "a");
        // The partition's beginning is committed too where the record comes later.
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(broker.committed()).hasSizeGreaterThan(2).endsWith(1L));
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    @Test
    void errorsThatPassAreOutlasted() {
        startWithPartition();
        for (KafkaException passing :
                List.of(new TimeoutException("slow"), new WakeupException(), new KafkaException("never heard of"))) {
            broker.schedulePollTask(() -> broker.setPollException(passing));
        }
        broker.send(0, "a");
        awaitEffects("a");
        assertThat(source.failure()).isNull();
    }

    @Test
    @Tag("B1")
    void interruptOfThePollThreadIsNotItsEnd() {
        startWithPartition();
        broker.schedulePollTask(() -> {
            throw new InterruptException("by nobody of ours");
        });
        broker.send(0, "a");
        awaitEffects("a");
        broker.schedulePollTask(() -> Thread.currentThread().interrupt());
        broker.send(1, "b");
        awaitEffects("a", "b");
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    @Test
    @Tag("B1")
    void interruptAtAnyCallOfTheConsumerIsNotTheSourcesEnd() {
        startWithPartition();
        broker.send(0, "a");
        awaitCommit(1);
        broker.callsToInterrupt.addAll(List.of("pause", "resume", "commitAsync"));
        broker.send(1, "b");
        awaitCommit(2);
        broker.schedulePollTask(() -> {
            Thread.currentThread().interrupt();
            broker.listener().onPartitionsRevoked(List.of(PARTITION));
            broker.callsToInterrupt.addAll(List.of("pause", "resume"));
            broker.listener().onPartitionsAssigned(List.of(PARTITION));
            broker.seek(PARTITION, 2);
        });
        broker.send(2, "c");
        broker.send(3, "d");
        awaitCommit(4);
        broker.schedulePollTask(() -> {
            broker.seek(PARTITION, 3);
            broker.callsToInterrupt.add("seek");
        });
        broker.send(3, "d");
        broker.send(3, "d");
        await().atMost(PATIENCE).until(broker.callsToInterrupt::isEmpty);
        broker.send(4, "e");
        awaitCommit(5);
        assertThat(effects).containsExactly("a", "b", "c", "d", "e");
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
        broker.callsToInterrupt.add("commitSync");
        broker.send(5, "slow f");
        await().atMost(PATIENCE).until(() -> inWork.getCount() == 0);
        source.close();
        assertThat(broker.closed()).isTrue();
    }

    @Test
    @Tag("B1")
    void commitIsSentInTheRoundThatWasInterrupted() {
        startWithPartition();
        broker.send(0, "a");
        awaitEffects("a");
        for (long offset = 1; offset <= 20; offset++) {
            broker.send(offset, "m" + offset);
            broker.schedulePollTask(() -> {
                throw new InterruptException("by nobody of ours");
            });
        }
        awaitCommit(21);
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    @Test
    @Tag("B3")
    void failureWhoseTextCannotBeReadIsToldAndOutlasted() {
        startWithPartition();
        broker.schedulePollTask(() -> {
            throw new IllegalStateException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                    throw new NoClassDefFoundError("no text");
                }
            };
        });
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_BROKER);
        assertThat(source.problems()).hasSize(1);
        await().atMost(PATIENCE).until(broker::closed);
    }

    @Test
    void sourceWhoseCommitsAreRefusedForAMinuteIsDegradedUntilOneSucceeds() {
        AtomicLong now = new AtomicLong();
        try (KafkaSource refused = KafkaSource.builder(inbox, Map.of("bootstrap.servers", "none"), "t")
                .commitInterval(Duration.ofMillis(10))
                .consumerFactory(config -> broker)
                .build(now::get)) {
            broker.refusals.set(Integer.MAX_VALUE);
            refused.start();
            broker.assign();
            broker.send(0, "a");
            await().atMost(PATIENCE).until(() -> broker.commits.size() > 2);
            assertThat(refused.state()).isEqualTo(SourceState.RUNNING);
            now.addAndGet(TimeUnit.SECONDS.toNanos(59));
            assertThat(refused.problems()).isEmpty();

            now.addAndGet(TimeUnit.SECONDS.toNanos(2));
            await().atMost(PATIENCE).until(() -> refused.state() == SourceState.DEGRADED);
            assertThat(refused.problems()).singleElement().asString().contains("commits of offsets", "61 s", "soon");

            broker.refusals.set(0);
            await().atMost(PATIENCE).until(() -> refused.state() == SourceState.RUNNING);
            assertThat(refused.problems()).isEmpty();
        }
    }

    @Test
    void sourceWithoutTheIdsOfItsTopicsWaitsForTheBrokerAndSaysSo() {
        AtomicLong now = new AtomicLong();
        try (KafkaSource asking = KafkaSource.builder(inbox, Map.of("bootstrap.servers", "127.0.0.1:1"), "t")
                .idFallback(IdFallback.TRANSPORT)
                .consumerFactory(config -> broker)
                .build(now::get)) {
            asking.start();
            broker.assign();
            broker.send(0, "a");
            await().atMost(PATIENCE).until(() -> asking.state() == SourceState.RUNNING);
            await().atMost(PATIENCE).until(() -> {
                now.addAndGet(TimeUnit.SECONDS.toNanos(1));
                return asking.state() == SourceState.WAITING_FOR_BROKER;
            });
            assertThat(asking.problems()).singleElement().asString().contains("id", "'t'");
            assertThat(asking.failure()).isNull();
        }
    }

    @Test
    void missingRightsStopTheSource() {
        startWithPartition();
        broker.schedulePollTask(() -> broker.setPollException(new TopicAuthorizationException("t")));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
        assertThat(source.failure()).isInstanceOf(TopicAuthorizationException.class);
        await().atMost(PATIENCE).until(broker::closed);
    }

    @Test
    void lostPartitionIsGivenUpWithoutACommitAndItsLateCompletionsTouchNoNewAssignment() throws InterruptedException {
        startWithPartition();
        broker.send(0, "slow 0");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        broker.send(1, "1");
        CountDownLatch assignedAnew = new CountDownLatch(1);
        broker.schedulePollTask(() -> {
            broker.listener().onPartitionsLost(List.of(PARTITION));
            broker.listener().onPartitionsAssigned(List.of(PARTITION));
            // A consumer of Kafka begins where the group is, which has committed nothing.
            broker.seek(PARTITION, 0);
            assignedAnew.countDown();
        });
        assertThat(assignedAnew.await(10, TimeUnit.SECONDS)).isTrue();
        mayEnd.countDown();
        awaitEffects("slow 0");
        await().during(Duration.ofMillis(200))
                .atMost(PATIENCE)
                .until(() -> broker.committed().stream().allMatch(position -> position == 0));
        assertThat(effects).containsExactly("slow 0");
    }

    @Test
    void revokedPartitionIsCommittedUpToWhatIsFinished() throws InterruptedException {
        startWithPartition();
        broker.send(0, "a");
        awaitCommit(1);
        broker.send(1, "slow 1");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        broker.schedulePollTask(() -> {
            mayEnd.countDown();
            broker.listener().onPartitionsRevoked(List.of(PARTITION));
        });
        awaitCommit(2);
        assertThat(effects).containsExactly("a", "slow 1");
    }

    @Tag("C1")
    @Test
    void rebalancesOverASlowHandlerAreNoCrashes() throws InterruptedException {
        startWithPartition();
        broker.send(0, "slow 0");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        CountDownLatch rebalances = new CountDownLatch(6);
        for (int rebalance = 0; rebalance < 6; rebalance++) {
            boolean lost = rebalance % 3 == 2;
            broker.schedulePollTask(() -> {
                if (lost) {
                    broker.listener().onPartitionsLost(List.of(PARTITION));
                } else {
                    broker.listener().onPartitionsRevoked(List.of(PARTITION));
                }
                broker.listener().onPartitionsAssigned(List.of(PARTITION));
                broker.seek(PARTITION, 0);
                rebalances.countDown();
            });
            broker.send(0, "slow 0");
            broker.send(1, "b");
        }
        assertThat(rebalances.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(effects).isEmpty();
        mayEnd.countDown();
        // Under a lease it would wait for a worker, and there is none.
        awaitEffects("slow 0", "b");
        source.close();
        assertThat(countOfNextBeginning()).isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void recordsAreLeasedWhereProcessesHaveDiedAgainAndAgain() {
        for (int process = 0; process < 3; process++) {
            inbox.forSources().started(startOf("process " + process));
        }
        startWithPartition();
        broker.send(0, "a");
        awaitCommit(1);
        assertThat(effects).isEmpty();
        inbox.work();
        assertThat(effects).containsExactly("a");
    }

    @Tag("C1")
    @Test
    void recordsOfAPartitionThatCouldNotBeginAreReadAgainWhenTheDatabaseIsBack() {
        startWithPartition();
        store.available(false);
        broker.send(0, "a");
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        awaitNoFetch();
        store.available(true);
        // The stand-in forgets what it has handed out.
        await().atMost(PATIENCE).until(() -> !broker.paused().contains(PARTITION));
        broker.send(0, "a");
        awaitCommit(1);
        assertThat(effects).containsExactly("a");
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    /** The source asks the database again and again meanwhile, but does not fetch the same records each time. */
    private void awaitNoFetch() {
        await().atMost(PATIENCE).until(() -> broker.paused().contains(PARTITION));
        await().during(Duration.ofSeconds(1))
                .atMost(PATIENCE)
                .until(() -> broker.paused().contains(PARTITION));
    }

    @Tag("C1")
    @Test
    void partitionThatIsToBeginWhileTheConsumerIsPausedIsFetchedOnceAndAgainWhenThePauseEnds() {
        store.paused("test", true);
        startWithPartition();
        broker.send(0, "a");
        awaitNoFetch();
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_STORE);
        store.paused("test", false);
        await().atMost(PATIENCE).until(() -> !broker.paused().contains(PARTITION));
        broker.send(0, "a");
        awaitCommit(1);
        assertThat(effects).containsExactly("a");
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    private int countOfNextBeginning() {
        int count = inbox.forSources().started(startOf("next"));
        inbox.forSources().ended(startOf("next"));
        return count;
    }

    private static Start startOf(String name) {
        return new Start("kafka " + PARTITION, "begun", name);
    }

    /** A process that is never closed, with records that are polled together. */
    private FakeBroker processThatDies(Map<Long, String> records) {
        FakeBroker ofProcess = new FakeBroker();
        KafkaSource dying = KafkaSource.builder(inbox, Map.of("bootstrap.servers", "none"), "t")
                .commitInterval(Duration.ofMillis(10))
                .closeTimeout(Duration.ZERO)
                .maxBatch(1)
                .maxUnfinished(1, 1 << 20)
                .consumerFactory(config -> ofProcess)
                .build();
        died.add(dying);
        dying.start();
        ofProcess.assign();
        ofProcess.sendTogether(records);
        return ofProcess;
    }

    @Tag("C1")
    @Test
    void processesThatDieALittleFurtherEachTimeAreACrashLoop() {
        for (long process = 0; process < 3; process++) {
            FakeBroker ofProcess = processThatDies(Map.of(process, "m" + process, process + 1, "slow " + process));
            await().atMost(PATIENCE).until(() -> !ofProcess.committed().isEmpty());
        }
        startWithPartition();
        broker.send(3, "killer");
        awaitCommit(4);
        assertThat(effects).containsExactly("m0", "m1", "m2");
    }

    @Tag("C1")
    @Test
    void everyRecordThatMayHaveBeenInWorkIsSuspectedWhateverItsOffset() {
        for (int process = 0; process < 3; process++) {
            processThatDies(Map.of(0L, "slow " + process));
            int next = process + 2;
            await().atMost(PATIENCE).until(() -> countOfNextBeginning() == next);
        }
        startWithPartition();
        broker.sendTogether(Map.of(0L, "a", 1_000_000L, "killer"));
        awaitCommit(1_000_001);
        assertThat(effects).isEmpty();
    }

    @Tag("C1")
    @Test
    void processesThatDieAfterTheyHaveFinishedAllRecordsAreNoCrashLoop() {
        for (int process = 0; process < 4; process++) {
            processThatDies(Map.of(0L, "m" + process));
            awaitEffects("m" + process);
            await().atMost(PATIENCE).until(() -> countOfNextBeginning() == 1);
        }
        startWithPartition();
        broker.send(0, "a");
        awaitEffects("a");
    }

    @Tag("C1")
    @Test
    void beginningIsSurvivedBehindAsManyRecordsAsMayHaveBeenInWork() {
        Map<Long, String> records = new HashMap<>();
        // In work at once: one by the bounds, and 500 that one poll brings.
        for (long offset = 0; offset <= 501; offset++) {
            records.put(offset, offset < 501 ? "m" + offset : "slow");
        }
        processThatDies(records);
        await().atMost(PATIENCE).until(() -> inWork.getCount() == 0 && effects.size() == 501);
        await().atMost(PATIENCE).until(() -> countOfNextBeginning() == 1);
    }

    @Test
    void partitionThatGoesBackBeginsAnew() {
        startWithPartition();
        broker.send(0, "a");
        broker.send(1, "b");
        awaitCommit(2);
        broker.schedulePollTask(() -> broker.seek(PARTITION, 0));
        broker.send(0, "new a");
        // Polled, recognised, sought back, and polled again.
        broker.send(0, "new a");
        awaitEffects("a", "b", "new a");
        awaitCommit(1);
    }

    @Test
    void recordsThatWaitAreReadAgainWhereThePartitionGoesBackBehindThem() throws InterruptedException {
        startWithPartition();
        broker.send(0, "slow 0");
        assertThat(inWork.await(10, TimeUnit.SECONDS)).isTrue();
        broker.send(1, "1");
        broker.send(2, "2");
        // The log was cut at 2, where there is another record now; the consumer goes back there by itself.
        broker.schedulePollTask(() -> broker.seek(PARTITION, 2));
        broker.send(2, "new 2");
        // What waited is given up with the partition, and read again.
        broker.sendTogether(Map.of(0L, "slow 0", 1L, "1", 2L, "new 2"));
        CountDownLatch polled = new CountDownLatch(1);
        broker.schedulePollTask(polled::countDown);
        assertThat(polled.await(10, TimeUnit.SECONDS)).isTrue();
        mayEnd.countDown();
        awaitEffects("slow 0", "1", "new 2");
        awaitCommit(3);
    }

    @Test
    void closingTwiceAndBeforeTheStartIsHarmless() {
        KafkaSource never = KafkaSource.of(inbox, Map.of("bootstrap.servers", "none"), "t");
        never.close();
        never.close();
        startWithPartition();
        source.close();
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
        assertThat(broker.closed()).isTrue();
    }
}
