package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a source whose consumer throws: another consumer begins, or the source says why not. */
class KafkaSourceRecoveryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final TopicPartition ONE = new TopicPartition("t", 1);
    private static final TopicPartition TEN = new TopicPartition("t", 10);

    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final Queue<Supplier<RuntimeException>> constructions = new ConcurrentLinkedQueue<>();
    private final Log log = new Log();
    private final List<FakeMember> members = new ArrayList<>();
    /** When each was made, in nanoseconds. */
    private final List<Long> made = new CopyOnWriteArrayList<>();
    /** It stands still unless a test moves it. */
    private final AtomicLong now = new AtomicLong();

    private final CountDownLatch inWork = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", store)
            .lateLimit(1)
            .defaultType("text")
            .handle("text", PayloadDecoder.text(), (text, context) -> {
                if (text.startsWith("slow")) {
                    inWork.countDown();
                    assertThat(mayEnd.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                }
                context.defer(() -> effects.add(text));
            })
            .build();
    private final KafkaSource source = KafkaSource.builder(inbox, Map.of("bootstrap.servers", "none"), "t")
            .commitInterval(Duration.ofMillis(10))
            .closeTimeout(Duration.ofSeconds(5))
            .consumerFactory(config -> member())
            .build(now::get);

    private synchronized Consumer<byte[], byte[]> member() {
        Supplier<RuntimeException> failure = constructions.poll();
        if (failure != null) {
            throw failure.get();
        }
        FakeMember member = new FakeMember(log);
        members.add(member);
        made.add(System.nanoTime());
        return member;
    }

    private synchronized FakeMember last() {
        return members.get(members.size() - 1);
    }

    /** What the brokers have: records, offsets, and what they answer a poll with. */
    private static final class Log {
        final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        final Map<TopicPartition, Long> committed = new ConcurrentHashMap<>();
        final Queue<Supplier<Throwable>> polls = new ConcurrentLinkedQueue<>();
        final List<TopicPartition> partitions = new CopyOnWriteArrayList<>(List.of(ONE, TEN));
        final Set<TopicPartition> corrupt = ConcurrentHashMap.newKeySet();
        final AtomicBoolean hasEnoughMembers = new AtomicBoolean();
        final AtomicBoolean hasNoCoordinator = new AtomicBoolean();
        /** Of these the group has no offset, and nothing says where to begin. */
        final Set<TopicPartition> withoutOffset = ConcurrentHashMap.newKeySet();
        /** What is before it Kafka has deleted. */
        final Map<TopicPartition, Long> begins = new ConcurrentHashMap<>();

        final AtomicLong goodPolls = new AtomicLong();

        synchronized void send(TopicPartition partition, String text) {
            RecordHeaders headers = new RecordHeaders();
            headers.add("message-id", text.getBytes(UTF_8));
            records.add(new ConsumerRecord<>(
                    partition.topic(),
                    partition.partition(),
                    ends(partition),
                    0L,
                    TimestampType.CREATE_TIME,
                    0,
                    0,
                    null,
                    text.getBytes(UTF_8),
                    headers,
                    Optional.empty()));
        }

        private long ends(TopicPartition partition) {
            return records.stream()
                    .filter(each -> each.topic().equals(partition.topic()) && each.partition() == partition.partition())
                    .count();
        }

        synchronized List<ConsumerRecord<byte[], byte[]>> from(TopicPartition partition, long offset) {
            return records.stream()
                    .filter(each -> each.partition() == partition.partition() && each.offset() >= offset)
                    .toList();
        }
    }

    /** A member that has all partitions, unless the group has enough members without it. */
    private static final class FakeMember extends MockConsumer<byte[], byte[]> {
        private final Log log;
        private final Set<TopicPartition> given = new HashSet<>();
        private @Nullable ConsumerRebalanceListener listener;
        private final Set<TopicPartition> stuck = new HashSet<>();
        private final Set<TopicPartition> withoutPosition = new HashSet<>();

        FakeMember(Log log) {
            super("earliest");
            this.log = log;
        }

        @Override
        public void subscribe(Collection<String> topics, ConsumerRebalanceListener newListener) {
            super.subscribe(topics, newListener);
            listener = newListener;
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            LockSupport.parkNanos(1_000_000);
            if (given.isEmpty() && !log.hasEnoughMembers.get()) {
                join();
            }
            Supplier<Throwable> failure = log.polls.poll();
            if (failure != null) {
                FakeMember.<RuntimeException>sneak(failure.get());
            }
            // It stays with the consumer that has fetched it.
            given.stream()
                    .filter(partition -> log.corrupt.contains(partition) && !paused().contains(partition))
                    .forEach(stuck::add);
            for (TopicPartition partition : stuck) {
                if (!paused().contains(partition)) {
                    throw new KafkaException("Received exception when fetching the next record from " + partition
                            + ". If needed, please seek past the record to continue consumption.");
                }
            }
            if (!withoutPosition.isEmpty()) {
                throw new NoOffsetForPartitionException(Set.copyOf(withoutPosition));
            }
            log.begins.forEach((partition, first) -> {
                if (!paused().contains(partition) && position(partition) < first) {
                    throw new OffsetOutOfRangeException(Map.of(partition, position(partition)));
                }
            });
            log.goodPolls.incrementAndGet();
            if (given.isEmpty()) {
                return ConsumerRecords.empty();
            }
            for (TopicPartition partition : log.partitions) {
                if (!paused().contains(partition)) {
                    log.from(partition, position(partition)).forEach(this::addRecord);
                }
            }
            return super.poll(timeout);
        }

        private void join() {
            given.addAll(log.partitions);
            rebalance(given);
            given.forEach(partition -> updateBeginningOffsets(Map.of(partition, 0L)));
            ConsumerRebalanceListener subscribed = listener;
            if (subscribed != null) {
                subscribed.onPartitionsAssigned(given);
            }
            given.forEach(partition -> seek(partition, log.committed.getOrDefault(partition, 0L)));
            given.stream()
                    .filter(partition -> log.withoutOffset.contains(partition) && !log.committed.containsKey(partition))
                    .forEach(withoutPosition::add);
        }

        /** The group takes all partitions and gives them back, as it does when a member comes or goes. */
        synchronized void rejoin() {
            ConsumerRebalanceListener subscribed = listener;
            if (subscribed != null) {
                subscribed.onPartitionsRevoked(List.copyOf(given));
            }
            withoutPosition.clear();
            given.clear();
            join();
        }

        @Override
        public synchronized void seek(TopicPartition partition, OffsetAndMetadata position) {
            withoutPosition.remove(partition);
            super.seek(partition, position);
        }

        @Override
        @SuppressWarnings("removal") // Whoever stands in for a consumer needs one.
        public synchronized ConsumerGroupMetadata groupMetadata() {
            return new ConsumerGroupMetadata("test", log.hasNoCoordinator.get() ? -1 : 1, "", Optional.empty());
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
            offsets.forEach((partition, position) -> log.committed.put(partition, position.offset()));
            if (callback != null) {
                callback.onComplete(offsets, null);
            }
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            offsets.forEach((partition, position) -> log.committed.put(partition, position.offset()));
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> void sneak(Throwable failure) throws E {
            throw (E) failure;
        }
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        source.close();
    }

    private void awaitEffects(String... texts) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects).contains(texts));
    }

    private void awaitState(SourceState state) {
        await().atMost(PATIENCE).until(() -> source.state() == state);
    }

    static Stream<Supplier<Throwable>> whatPasses() {
        return Stream.of(
                () -> new IllegalStateException("the token server is away"),
                () -> new SaslAuthenticationException("the token has expired"),
                () -> new TopicAuthorizationException("t"),
                () -> new NullPointerException("in an interceptor"),
                () -> new OutOfMemoryError("for a moment"));
    }

    @Tag("E5")
    @ParameterizedTest
    @MethodSource("whatPasses")
    void whatPassesEndsTheConsumerAndNotTheSource(Supplier<Throwable> failure) {
        log.send(ONE, "a");
        source.start();
        awaitEffects("a");
        FakeMember before = last();
        // Later consumers meet it, too, until it is over.
        for (int i = 0; i < 1_000; i++) {
            log.polls.add(failure);
        }
        awaitState(SourceState.WAITING_FOR_BROKER);
        assertThat(source.problems())
                .singleElement()
                .asString()
                .contains("test", failure.get().getClass().getName());
        log.polls.clear();
        log.send(ONE, "b");
        log.send(TEN, "c");
        awaitEffects("b", "c");
        awaitState(SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
        assertThat(before.closed()).isTrue();
        assertThat(effects).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void partitionThatStaysHeldBackBehindTheNextRecordIsAProblemToo() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        Inbox<InMemoryContext> own = Inbox.builder("two slow ones", store)
                .defaultType("text")
                .handle("text", PayloadDecoder.text(), (text, context) -> {
                    if (text.equals("first")) {
                        begun.countDown();
                        first.await();
                    } else if (text.equals("second")) {
                        second.await();
                    }
                    context.defer(() -> effects.add(text));
                })
                .build();
        try (KafkaSource narrow = KafkaSource.builder(own, Map.of("bootstrap.servers", "none"), "t")
                .window(4)
                .commitInterval(Duration.ofMillis(10))
                .consumerFactory(config -> member())
                .build(now::get)) {
            log.send(ONE, "first");
            narrow.start();
            assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            for (String text : List.of("second", "third", "fourth")) {
                log.send(ONE, text);
            }
            await().atMost(PATIENCE).until(() -> last().paused().contains(ONE));
            first.countDown();
            awaitEffects("first");

            await().atMost(PATIENCE).until(() -> {
                now.addAndGet(Duration.ofMinutes(2).toNanos());
                return narrow.problems().stream().anyMatch(problem -> problem.contains("offset 1"));
            });
            assertThat(narrow.state()).isEqualTo(SourceState.DEGRADED);
            second.countDown();
        }
    }

    @Test
    void partitionThatWaitsForOneRecordWithAFullWindowForAMinuteIsAProblem() {
        try (KafkaSource narrow = KafkaSource.builder(inbox, Map.of("bootstrap.servers", "none"), "t")
                .window(3)
                .commitInterval(Duration.ofMillis(10))
                .consumerFactory(config -> member())
                .build(now::get)) {
            log.send(ONE, "a");
            narrow.start();
            awaitEffects("a");
            log.send(ONE, "slow");
            for (int i = 0; i < 4; i++) {
                log.send(ONE, "behind" + i);
            }
            await().atMost(PATIENCE).until(() -> last().paused().contains(ONE));
            now.addAndGet(Duration.ofSeconds(59).toNanos());
            awaitGoodPolls();
            assertThat(narrow.problems()).isEmpty();
            assertThat(narrow.state()).isEqualTo(SourceState.RUNNING);

            now.addAndGet(Duration.ofSeconds(2).toNanos());
            assertThat(narrow.problems()).singleElement().asString().contains("t-1", "61 s", "offset 1", "window 3");
            assertThat(narrow.state()).isEqualTo(SourceState.DEGRADED);

            mayEnd.countDown();
            awaitEffects("slow", "behind3");
            await().atMost(PATIENCE).until(() -> narrow.problems().isEmpty());
            assertThat(narrow.state()).isEqualTo(SourceState.RUNNING);
        }
    }

    @Test
    void floodThatTheInboxHoldsBackIsAProblem() {
        log.send(ONE, "a");
        source.start();
        awaitEffects("a");
        awaitState(SourceState.RUNNING);
        Instant late = Instant.now().plusSeconds(10);
        store.ledgerBounds(late.plusSeconds(100), null);
        for (int i = 0; i < 2; i++) {
            long millis = late.toEpochMilli();
            String id = String.format("%08x-%04x-7000-8000-%012x", millis >>> 16, millis & 0xFFFF, i);
            inbox.process(Message.builder("t").id(id).type("text").build());
        }
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("test", "held back", "lateLimit");
    }

    @Tag("E5")
    @Test
    void consumerThatCannotBeMadeAnewIsMadeLater() {
        log.send(ONE, "a");
        source.start();
        awaitEffects("a");
        constructions.add(() -> new KafkaException("the login failed: the token server is away"));
        log.polls.add(() -> new SaslAuthenticationException("the token has expired"));
        log.send(ONE, "b");
        awaitEffects("b");
        assertThat(constructions).isEmpty();
        awaitState(SourceState.RUNNING);
    }

    @Tag("E5")
    @Test
    void consumerThatCannotBeMadeAtTheStartIsAClearError() {
        constructions.add(() -> new KafkaException("no such class of interceptors"));

        assertThatThrownBy(source::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("no such class of interceptors");
    }

    @Tag("E5")
    @Test
    void sourceWhoseThreadCannotBeStartedLeavesNothingOpen() {
        Inbox<InMemoryContext> another = Inbox.builder("without-a-thread", InMemoryStore.create())
                .defaultType("text")
                .handle("text", PayloadDecoder.text(), (text, context) -> {})
                .build();
        KafkaSource begun = KafkaSource.builder(
                        another, Map.of("bootstrap.servers", "127.0.0.1:1", "client.id", "without-a-thread"), "t")
                .idFallback(IdFallback.TRANSPORT)
                .consumerFactory(config -> member())
                .build();

        assertThatThrownBy(() -> begun.start(task -> new Thread(task) {
                    @Override
                    public synchronized void start() {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                }))
                .isInstanceOf(OutOfMemoryError.class);

        assertThat(last().closed()).isTrue();
        assertThat(begun.state()).isEqualTo(SourceState.CLOSED);
        // Of the delivery threads, and of the client that asks for the topic's id.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.contains("without-a-thread")));
    }

    @Tag("E5")
    @Test
    void refusalOfASourceThatHasNeverWorkedIsFinal() {
        log.polls.add(() -> new SaslAuthenticationException("wrong password"));
        source.start();
        awaitState(SourceState.FAILED);
        assertThat(source.failure()).isInstanceOf(SaslAuthenticationException.class);
        await().atMost(PATIENCE).until(() -> last().closed());
    }

    /** As many good polls more that the source has seen one of them for sure. */
    private void awaitGoodPolls() {
        long before = log.goodPolls.get();
        await().atMost(PATIENCE).until(() -> log.goodPolls.get() >= before + 3);
    }

    @Tag("E5")
    @Test
    void standbyThatWasRefusedNothingForAMinuteOutlastsARefusal() {
        log.hasEnoughMembers.set(true);
        source.start();
        awaitGoodPolls();
        now.addAndGet(Duration.ofSeconds(61).toNanos());
        awaitGoodPolls();
        log.polls.add(() -> new SaslAuthenticationException("the token has expired"));
        awaitState(SourceState.WAITING_FOR_BROKER);
        log.hasEnoughMembers.set(false);
        log.send(ONE, "a");
        awaitEffects("a");
        assertThat(source.failure()).isNull();
        awaitState(SourceState.RUNNING);
    }

    @Tag("E5")
    @Test
    void standbyThatIsRefusedWithinItsFirstMinuteIsEnded() {
        log.hasEnoughMembers.set(true);
        source.start();
        awaitGoodPolls();
        log.polls.add(() -> new SaslAuthenticationException("wrong password"));
        awaitState(SourceState.FAILED);
    }

    /** Kafka says nothing to a member that finds no coordinator, or that waits for the others of its group. */
    @Tag("E5")
    @Test
    void memberThatHasNeverJoinedItsGroupIsNoStandbyHoweverLongItPolls() {
        log.hasEnoughMembers.set(true);
        log.hasNoCoordinator.set(true);
        source.start();
        awaitGoodPolls();
        now.addAndGet(Duration.ofMinutes(10).toNanos());
        awaitGoodPolls();
        log.polls.add(() -> new GroupAuthorizationException("test"));
        awaitState(SourceState.FAILED);
    }

    @Tag("E5")
    @Test
    void memberWaitsForTheBrokerUntilItHasJoinedItsGroupOnce() {
        log.hasEnoughMembers.set(true);
        log.hasNoCoordinator.set(true);
        source.start();
        awaitGoodPolls();
        now.addAndGet(Duration.ofMinutes(10).toNanos());
        awaitGoodPolls();
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
        assertThat(source.problems()).singleElement().asString().contains("has not joined its group", "'test'", "none");
        log.hasNoCoordinator.set(false);
        awaitState(SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
        // Such as while the group waits for the others.
        log.hasNoCoordinator.set(true);
        awaitGoodPolls();
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    @Tag("E5")
    @Test
    void standbyIsRunningAgainSomeTimeAfterAnError() {
        log.hasEnoughMembers.set(true);
        source.start();
        log.polls.add(() -> new KafkaException("something for a moment"));
        awaitState(SourceState.WAITING_FOR_BROKER);
        awaitGoodPolls();
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
        now.addAndGet(Duration.ofSeconds(20).toNanos());
        awaitState(SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Tag("E5")
    @Test
    void standbyIsRunningAgainAfterAPartitionWasToBeFetchedOnceMore() {
        log.corrupt.add(ONE);
        log.send(ONE, "unreadable");
        source.start();
        awaitState(SourceState.DEGRADED);
        FakeMember before = last();
        // The next consumer is given no partitions.
        log.hasEnoughMembers.set(true);
        log.corrupt.clear();
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        await().atMost(PATIENCE).until(() -> last() != before);
        awaitGoodPolls();
        now.addAndGet(Duration.ofSeconds(20).toNanos());
        awaitState(SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Tag("E5")
    @Test
    void placeThatAnotherProcessHasTakenIsFinalAlsoAfterItHasWorked() {
        log.send(ONE, "a");
        source.start();
        awaitEffects("a");
        log.polls.add(() -> new FencedInstanceIdException("another one has it"));
        awaitState(SourceState.FAILED);
        assertThat(source.failure()).isInstanceOf(FencedInstanceIdException.class);
    }

    @Tag("E5")
    @Test
    void recordsThatAConsumerHadTakenAndNotHandedOverAreReadAgain() {
        log.send(ONE, "a");
        source.start();
        awaitEffects("a");
        log.polls.add(() -> {
            log.send(ONE, "b");
            // Its position moves, and then it throws.
            last().seek(ONE, 2);
            return new OutOfMemoryError("behind the fetch");
        });
        awaitEffects("b");
    }

    @Tag("E10")
    @Test
    void partitionThatCannotBeReadHoldsBackNoOther() {
        log.corrupt.add(ONE);
        log.send(ONE, "unreadable");
        source.start();
        awaitState(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("t-1 ");
        log.send(TEN, "a");
        log.send(TEN, "b");
        awaitEffects("a", "b");
        assertThat(effects).doesNotContain("unreadable");
        assertThat(log.committed).doesNotContainKey(ONE);
        // A broker has a good copy: another consumer fetches it.
        log.corrupt.clear();
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        awaitEffects("unreadable");
        awaitState(SourceState.RUNNING);
        assertThat(effects).containsExactlyInAnyOrder("a", "b", "unreadable");
    }

    @Tag("E5")
    @Test
    void partitionWithoutAnOffsetHoldsBackNoOtherAndNothingOfItIsPassedOver() {
        log.withoutOffset.add(ONE);
        log.send(ONE, "undecided");
        log.send(TEN, "a");
        source.start();
        awaitEffects("a");
        awaitState(SourceState.DEGRADED);
        assertThat(source.problems())
                .singleElement()
                .asString()
                .contains("t-1 ", "auto.offset.reset", "--reset-offsets");
        awaitGoodPolls();
        log.send(TEN, "b");
        awaitEffects("b");
        assertThat(effects).doesNotContain("undecided");
        assertThat(log.committed).doesNotContainKey(ONE);
        // Somebody says where to begin, and a later consumer finds it.
        log.committed.put(ONE, 0L);
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        awaitEffects("undecided");
        awaitState(SourceState.RUNNING);
        assertThat(effects).containsExactlyInAnyOrder("a", "b", "undecided");
    }

    @Tag("E5")
    @Test
    void partitionOfWhichKafkaHasDeletedTheNextRecordHoldsBackNoOther() {
        log.send(ONE, "a");
        log.send(ONE, "deleted");
        log.send(ONE, "kept");
        log.committed.put(ONE, 1L);
        log.begins.put(ONE, 2L);
        log.send(TEN, "b");
        source.start();
        awaitEffects("b");
        awaitState(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("t-1 ");
        awaitGoodPolls();
        assertThat(effects).containsExactly("b");
        assertThat(log.committed).containsEntry(ONE, 1L);
        // Somebody decides to go on without it.
        log.committed.put(ONE, 2L);
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        awaitEffects("kept");
        awaitState(SourceState.RUNNING);
        assertThat(effects).containsExactlyInAnyOrder("b", "kept");
    }

    @Tag("E5")
    @Test
    void partitionWithoutAnOffsetIsHeldBackAgainWhenTheGroupGivesItAnew() {
        log.withoutOffset.add(ONE);
        log.send(ONE, "undecided");
        source.start();
        awaitState(SourceState.DEGRADED);
        FakeMember before = last();
        for (int i = 0; i < 25; i++) {
            log.polls.add(() -> {
                last().rejoin();
                return new WakeupException();
            });
        }
        await().atMost(PATIENCE).until(log.polls::isEmpty);
        log.send(TEN, "a");
        awaitEffects("a");
        awaitState(SourceState.DEGRADED);
        assertThat(last()).as("the same consumer").isSameAs(before);
        assertThat(effects).containsExactly("a");
        assertThat(log.committed).doesNotContainKey(ONE);
    }

    @Tag("E5")
    @Test
    void partitionsThatCannotBeReadHoldBackNoOtherHoweverManyTheyAre() {
        for (int i = 100; i < 160; i++) {
            log.partitions.add(new TopicPartition("t", i));
        }
        log.corrupt.addAll(log.partitions);
        log.corrupt.remove(TEN);
        log.send(TEN, "a");
        source.start();
        awaitEffects("a");
        await().atMost(PATIENCE).until(() -> source.problems().size() == 61);
    }

    @Tag("E5")
    @Test
    void functionForTheSourceNameIsAskedOnlyWhenTheSourceIsBuilt() {
        AtomicBoolean broken = new AtomicBoolean();
        try (KafkaSource renamed = KafkaSource.builder(inbox, Map.of("bootstrap.servers", "none"), "t")
                .sourceName(topic -> {
                    if (broken.get()) {
                        throw new IllegalStateException("the function of the user");
                    }
                    return topic;
                })
                .consumerFactory(config -> member())
                .build(now::get)) {
            broken.set(true);
            log.send(ONE, "a");
            renamed.start();
            awaitEffects("a");
            assertThat(renamed.state()).isEqualTo(SourceState.RUNNING);
        }
    }

    @Tag("E5")
    @Test
    void pausesGrowWhereRecordsArePolledAndNoneCanBeHandedOver() {
        log.records.add(new ConsumerRecord<>("t", 1, 0, null, null) {
            @Override
            public Headers headers() {
                throw new IllegalStateException("in a wrapper of the consumer");
            }
        });
        source.start();
        await().atMost(PATIENCE).until(() -> made.size() >= 3);
        Duration second = Duration.ofNanos(made.get(2) - made.get(1));
        assertThat(second).isGreaterThan(Duration.ofMillis(1_950));
    }

    @Tag("E11")
    @Test
    void closingOnAnInterruptedThreadWaitsForWhatIsInWork() throws InterruptedException {
        log.send(ONE, "slow");
        source.start();
        assertThat(inWork.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        AtomicBoolean interruptedAfterwards = new AtomicBoolean();
        Thread closing = new Thread(
                () -> {
                    Thread.currentThread().interrupt();
                    source.close();
                    interruptedAfterwards.set(Thread.currentThread().isInterrupted());
                },
                "closing");
        closing.start();
        awaitState(SourceState.CLOSED);
        mayEnd.countDown();
        closing.join(PATIENCE.toMillis());
        assertThat(effects).containsExactly("slow");
        assertThat(log.committed).containsEntry(ONE, 1L);
        assertThat(interruptedAfterwards).isTrue();
    }

    @Tag("E11")
    @Test
    void closingWhileNoConsumerCanBeMadeEndsAtOnce() {
        log.send(ONE, "a");
        source.start();
        awaitEffects("a");
        for (int i = 0; i < 100; i++) {
            constructions.add(() -> new KafkaException("away"));
        }
        log.polls.add(() -> new IllegalStateException("away"));
        awaitState(SourceState.WAITING_FOR_BROKER);
        source.close();
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
        assertThat(constructions).hasSizeGreaterThan(80);
    }
}
