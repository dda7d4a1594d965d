package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publication.Confirmed;
import io.pigeonhole.core.relay.Publication.Refused;
import io.pigeonhole.core.relay.Publication.Unavailable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of the producer, with one in memory that confirms what the test says. */
class KafkaPublisherTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(50);

    private final List<MockProducer<byte[], byte[]>> producers = new CopyOnWriteArrayList<>();
    private final KafkaPublisher publisher = KafkaPublisher.builder(
                    Map.of("bootstrap.servers", "127.0.0.1:1"), "payments")
            .producerFactory(settings -> {
                MockProducer<byte[], byte[]> producer =
                        new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
                producers.add(producer);
                return producer;
            })
            .build();

    @AfterEach
    void close() {
        publisher.close();
    }

    /** Calls a partitioner for one record, as the real one does in {@code send}. */
    private static final class PartitioningProducer extends MockProducer<byte[], byte[]> {
        private final byte[] id;
        private final Runnable partitioner;

        PartitioningProducer(String id, Runnable partitioner) {
            super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
            this.id = id.getBytes(StandardCharsets.UTF_8);
            this.partitioner = partitioner;
        }

        @Override
        public synchronized Future<RecordMetadata> send(
                ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
            if (Arrays.equals(record.headers().lastHeader("message-id").value(), id)) {
                partitioner.run();
            }
            return super.send(record, callback);
        }
    }

    private static List<Message> messages(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Message.builder("sent")
                        .id("m" + i)
                        .type("t")
                        .payload("x")
                        .build())
                .toList();
    }

    private CompletableFuture<List<Publication>> publishing(int count) {
        return CompletableFuture.supplyAsync(() -> publisher.publish(messages(count), LONG));
    }

    /** The latest producer, as soon as it has so many records in all. */
    private MockProducer<byte[], byte[]> producerWith(int records) {
        await().until(() -> !producers.isEmpty()
                && producers.get(producers.size() - 1).history().size() == records);
        return producers.get(producers.size() - 1);
    }

    private static List<Publication> result(CompletableFuture<List<Publication>> outcomes) throws Exception {
        return outcomes.get(10, TimeUnit.SECONDS);
    }

    @Test
    void recordThatThePartitionerFailsForIsRefusedAndNoOther() {
        for (Runnable partitioner : List.<Runnable>of(
                () -> {
                    throw new IllegalArgumentException("no partition");
                },
                () -> {
                    throw new IllegalStateException("no region");
                },
                () -> {
                    throw new ConfigException("no region");
                },
                () -> Utils.murmur2(null),
                () -> {
                    throw new StackOverflowError();
                })) {
            try (KafkaPublisher partitioned = KafkaPublisher.builder(
                            Map.of("bootstrap.servers", "127.0.0.1:1"), "payments")
                    .producerFactory(settings -> new PartitioningProducer("m1", partitioner))
                    .build()) {
                assertThat(partitioned.publish(messages(3), LONG))
                        .satisfiesExactly(
                                first -> assertThat(first).isInstanceOf(Confirmed.class),
                                second -> assertThat(second).isInstanceOf(Refused.class),
                                third -> assertThat(third).isInstanceOf(Confirmed.class));
            }
        }
    }

    @Test
    void whatIsNotConfirmedInTimeIsGivenUpWithItsProducer() throws Exception {
        assertThat(publisher.publish(messages(2), SHORT))
                .hasSize(2)
                .allMatch(outcome -> outcome instanceof Unavailable);
        assertThat(producers).hasSize(1);
        assertThat(producers.get(0).closed()).isTrue();

        CompletableFuture<List<Publication>> next = publishing(1);
        producerWith(1).completeNext();
        assertThat(result(next)).containsExactly(Publication.CONFIRMED);
        assertThat(producers).hasSize(2);
    }

    @Test
    void whatIsConfirmedInTimeIsConfirmedAlthoughOthersAreNot() {
        CompletableFuture<List<Publication>> outcomes =
                CompletableFuture.supplyAsync(() -> publisher.publish(messages(2), Duration.ofSeconds(2)));
        producerWith(2).completeNext();
        assertThat(outcomes.join())
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Confirmed.class),
                        second -> assertThat(second).isInstanceOf(Unavailable.class));
    }

    @Test
    void refusalOfOneRecordLeavesTheProducer() throws Exception {
        CompletableFuture<List<Publication>> outcomes = publishing(2);
        MockProducer<byte[], byte[]> producer = producerWith(2);
        producer.errorNext(new RecordTooLargeException("too large"));
        producer.completeNext();
        assertThat(result(outcomes))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Refused.class),
                        second -> assertThat(second).isInstanceOf(Confirmed.class));
        assertThat(producer.closed()).isFalse();
    }

    @Test
    void missingRightIsUnavailableAndLeavesTheProducer() throws Exception {
        CompletableFuture<List<Publication>> outcomes = publishing(1);
        MockProducer<byte[], byte[]> producer = producerWith(1);
        producer.errorNext(new TopicAuthorizationException("payments"));
        assertThat(result(outcomes)).singleElement().isInstanceOf(Unavailable.class);
        assertThat(producer.closed()).isFalse();
    }

    @Test
    void producerThatIsBrokenIsReplaced() throws Exception {
        CompletableFuture<List<Publication>> outcomes = publishing(1);
        MockProducer<byte[], byte[]> producer = producerWith(1);
        producer.errorNext(new OutOfOrderSequenceException("out of order"));
        assertThat(result(outcomes)).singleElement().isInstanceOf(Unavailable.class);
        assertThat(producer.closed()).isTrue();
    }

    /** The client says nothing else of records that shared a batch with an invalid one. */
    @Test
    void recordThatSharedABatchWithARefusedOneIsSentAgain() throws Exception {
        CompletableFuture<List<Publication>> outcomes = publishing(3);
        MockProducer<byte[], byte[]> producer = producerWith(3);
        producer.errorNext(new KafkaException("part of a batch"));
        producer.errorNext(new RecordTooLargeException("too large"));
        producer.completeNext();
        producerWith(4).completeNext();
        assertThat(result(outcomes))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Confirmed.class),
                        second -> assertThat(second).isInstanceOf(Refused.class),
                        third -> assertThat(third).isInstanceOf(Confirmed.class));
    }

    @Test
    void interruptedThreadLearnsWhatIsConfirmedAndGivesUpTheRest() throws Exception {
        CompletableFuture<List<Publication>> outcomes = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            List<Publication> result = publisher.publish(messages(2), LONG);
            outcomes.complete(Thread.currentThread().isInterrupted() ? result : List.of());
        });
        thread.start();
        MockProducer<byte[], byte[]> producer = producerWith(2);
        producer.completeNext();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        thread.interrupt();
        assertThat(result(outcomes))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Confirmed.class),
                        second -> assertThat(second).isInstanceOf(Unavailable.class));
        assertThat(producer.closed()).isTrue();
    }

    @Test
    void closedPublisherIsUnavailable() {
        publisher.close();
        assertThat(publisher.publish(messages(2), LONG))
                .hasSize(2)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Unavailable.class,
                                unavailable -> assertThat(unavailable.cause()).hasMessageContaining("closed")));
    }
}
