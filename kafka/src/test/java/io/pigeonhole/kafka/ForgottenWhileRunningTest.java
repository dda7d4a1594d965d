package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
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

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
            group.putAll(offsets);
        }
    };
    private final List<Runnable> toClose = new ArrayList<>();
    private final RecordMapper mapper = new RecordMapper(Map.of(), "id", "type", "content");
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    /** Between the moment in which the watermarks are asked for and the one in which the database looks. */
    private final CountDownLatch asked = new CountDownLatch(1);

    private final CountDownLatch mayLook = new CountDownLatch(1);

    @AfterEach
    void close() {
        mayLook.countDown();
        toClose.forEach(Runnable::run);
        consumer.close();
    }

    /** A member that has acquired its partition where the group's offset was. */
    private Assignments member(Deduplication by, LogStart start) {
        return member(by, start, false);
    }

    private Assignments member(Deduplication by, LogStart start, boolean looksLate) {
        if (!looksLate) {
            mayLook.countDown();
        }
        Inbox<InMemoryContext> inbox = Inbox.builder("test", answeringLate())
                .deduplication(by)
                .defaultType("text")
                .handle("text", PayloadDecoder.text(), (text, context) -> context.defer(() -> effects.add(text)))
                .build();
        TopicIdentities identities = new TopicIdentities(
                topic -> CompletableFuture.completedFuture("kafka:c/t/"), () -> {}, System::nanoTime, warning -> {});
        WatermarkCheck check = new WatermarkCheck("test", inbox.forSources());
        toClose.add(check::close);
        DeliveryThreads deliveryThreads = DeliveryThreads.start("test", inbox, DeliverySettings.standard());
        toClose.add(() -> deliveryThreads.close(PATIENCE));
        Assignments assignments = new Assignments(
                new PollLoop.Settings(
                        "test",
                        List.of("t"),
                        mapper,
                        100,
                        100,
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        System::nanoTime),
                consumer,
                deliveryThreads,
                identities,
                new LogOwner(
                        inbox.forSources(),
                        consumer,
                        identities,
                        null,
                        UnaryOperator.identity(),
                        start,
                        System::nanoTime),
                check,
                null,
                new Beginnings(inbox.forSources(), 100, System::nanoTime),
                System::nanoTime);
        consumer.assign(List.of(PARTITION));
        assignments.onPartitionsAssigned(List.of(PARTITION));
        assignments.acquire(partition -> false);
        assertThat(consumer.position(PARTITION)).isEqualTo(500);
        return assignments;
    }

    @SuppressWarnings("unchecked") // A proxy of the interface that it is made for.
    private InboxStore<InMemoryContext> answeringLate() {
        return (InboxStore<InMemoryContext>) proxy(InboxStore.class, (proxy, method, arguments) -> {
            Object answer = call(store, method, arguments);
            return answer instanceof InboxTransaction<?> transaction
                    ? proxy(InboxTransaction.class, (same, asking, asks) -> {
                        // The delivery threads ask for watermarks as well.
                        boolean isCheck = Thread.currentThread().getName().equals("test-watermarks");
                        if (isCheck && asking.getName().equals("watermarks")) {
                            asked.countDown();
                            assertThat(mayLook.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                                    .isTrue();
                        }
                        return call(transaction, asking, asks);
                    })
                    : answer;
        });
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private void submit(Assignment assignment, long offset, String text) {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("t", 0, offset, null, text.getBytes(UTF_8));
        assignment.submit(record, mapper.map(record, null, 0, assignment.owner(), assignment.expectedPosition()));
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

    @Test
    void memberThatAcceptsMoreBeforeItsPositionsAreForgottenReadsOnBehindThat() {
        Assignments assignments = member(Deduplication.WATERMARKS, LogStart.NONE, true);
        Assignment assignment = assignments.get(PARTITION);
        await().atMost(PATIENCE).until(() -> {
            assignments.checkOwners();
            return asked.getCount() == 0;
        });
        submit(assignment, 500, "a");
        submit(assignment, 501, "b");
        await().atMost(PATIENCE).until(() -> assignment.acceptedPosition() == 502);
        assignments.commitAsync();
        assertThat(group.get(PARTITION)).extracting(OffsetAndMetadata::offset).isEqualTo(502L);

        admin.forgetWatermarks("test", "t", ANN);
        mayLook.countDown();
        awaitLoss(assignments);
        assignments.acquire(partition -> false);

        assertThat(consumer.position(PARTITION)).isEqualTo(502);
        assertThat(group.get(PARTITION)).extracting(OffsetAndMetadata::offset).isEqualTo(502L);
        assertThat(effects).containsExactly("a", "b");
    }
}
