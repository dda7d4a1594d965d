package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is asked of the database for partitions while it is away. */
@Tag("C1")
class AssignmentsTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final InMemoryStore store = InMemoryStore.create();
    private final AtomicInteger askedForSurvival = new AtomicInteger();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", counting())
            .handle("text", PayloadDecoder.text(), (text, context) -> {})
            .build();
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start("test", inbox, DeliverySettings.standard());
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    /** With no record that may have been in work, each beginning is survived at once. */
    private final PollLoop.Settings settings = new PollLoop.Settings(
            "test",
            List.of("t"),
            new RecordMapper(Map.of(), "id", "type", "content"),
            10,
            0,
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO,
            System::nanoTime);

    private final Beginnings beginnings = new Beginnings(inbox.forSources(), 0, System::nanoTime);
    private final AtomicLong now = new AtomicLong();
    private final Assignments assignments =
            new Assignments(settings, consumer, deliveryThreads, null, null, null, null, beginnings, now::get);

    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> counting() {
        return (InboxStore<InMemoryContext>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {InboxStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("survived")) {
                        askedForSurvival.incrementAndGet();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        store.available(true);
        deliveryThreads.close(Duration.ofSeconds(5));
        consumer.close();
    }

    /**
     * Brokers forget what nobody commits for long, even that of a quiet partition of a group whose members are there. A topic that was deleted
     * and made anew must not get the position of the one before.
     */
    @Test
    void positionOfAQuietPartitionIsCommittedAgainNowAndThenButNotWhereItIsGivenUp() {
        AtomicInteger commits = new AtomicInteger();
        MockConsumer<byte[], byte[]> quiet = new MockConsumer<>("earliest") {
            @Override
            public synchronized void commitAsync(
                    Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
                commits.incrementAndGet();
                super.commitAsync(offsets, callback);
            }
        };
        Assignments ofQuiet =
                new Assignments(settings, quiet, deliveryThreads, null, null, null, null, beginnings, now::get);
        quiet.assign(List.of(PARTITION));
        ofQuiet.onPartitionsAssigned(List.of(PARTITION));
        ofQuiet.get(PARTITION).beginsAt(7);

        ofQuiet.commitAsync();
        ofQuiet.commitAsync();
        assertThat(commits).hasValue(1);
        now.addAndGet(Duration.ofMinutes(10).toNanos());
        ofQuiet.commitAsync();
        assertThat(commits).hasValue(2);

        quiet.commitSync(Map.of(PARTITION, new OffsetAndMetadata(0)));
        ofQuiet.giveUpAll(Duration.ZERO);
        assertThat(quiet.committed(Set.of(PARTITION))).containsEntry(PARTITION, new OffsetAndMetadata(0));
    }

    @Test
    void survivalIsNotedOnceTheDeliveryThreadsDoNotWaitForTheDatabase() {
        consumer.assign(List.of(PARTITION));
        assignments.onPartitionsAssigned(List.of(PARTITION));
        Assignment assignment = assignments.get(PARTITION);
        assertThat(beginnings.of(assignment)).isEqualTo(new Assignment.Beginning(1));
        store.available(false);
        assignment.submit(
                new ConsumerRecord<>("t", 0, 0, new byte[0], "x".getBytes(UTF_8)),
                Message.builder("kafka").id("x").type("text").payload("x").build());
        await().until(deliveryThreads::isWaiting);

        assignments.noteSurvived();
        assertThat(askedForSurvival).hasValue(0);

        store.available(true);
        await().until(() -> !deliveryThreads.isWaiting());
        assignments.noteSurvived();
        assertThat(askedForSurvival).hasValue(1);
        assertThat(assignment.beginning()).isEqualTo(new Assignment.Beginning(0));
    }
}
