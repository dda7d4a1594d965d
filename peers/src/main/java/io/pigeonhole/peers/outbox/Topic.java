package io.pigeonhole.peers.outbox;

import io.pigeonhole.embedded.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/** A topic of one measurement, with four partitions; deleted when it is closed. */
record Topic(EmbeddedKafka broker, String name) implements AutoCloseable {
    private static final int PARTITIONS = 4;
    private static final Duration POLL = Duration.ofSeconds(5);
    /** Brokers that are started again find the topics of earlier runs. */
    private static final String PREFIX = "events-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + "-";

    private static final AtomicInteger NUMBER = new AtomicInteger();

    static Topic create(EmbeddedKafka broker) {
        String name = PREFIX + NUMBER.incrementAndGet();
        broker.createTopic(name, PARTITIONS);
        return new Topic(broker, name);
    }

    /**
     * What is wrong with what is in it, null if nothing is.
     *
     * @param events each has to be there; one that is there twice breaks no promise
     * @param isOrdered whether those of one key have to be in the order of their numbers
     */
    @Nullable
    String violation(int events, boolean isOrdered) {
        BitSet found = new BitSet(events);
        Map<String, Integer> last = new HashMap<>();
        int disorder = 0;
        for (ConsumerRecord<String, String> produced : read()) {
            int number = Event.numberOf(produced.value());
            boolean isNew = !found.get(number);
            found.set(number);
            Integer before = last.put(produced.key(), number);
            if (isNew && before != null && before > number) {
                disorder++;
            }
        }
        if (found.cardinality() < events) {
            return (events - found.cardinality()) + " of " + events + " events are not in the topic";
        }
        return isOrdered && disorder > 0 ? disorder + " events are behind a later one of their key" : null;
    }

    private List<ConsumerRecord<String, String>> read() {
        StringDeserializer strings = new StringDeserializer();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers()), strings, strings)) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                partitions.add(new TopicPartition(name, i));
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<ConsumerRecord<String, String>> all = new ArrayList<>();
            while (partitions.stream().anyMatch(partition -> consumer.position(partition) < end(ends, partition))) {
                consumer.poll(POLL).forEach(all::add);
            }
            return all;
        }
    }

    private static long end(Map<TopicPartition, Long> ends, TopicPartition partition) {
        return Objects.requireNonNull(ends.get(partition), "a partition has an end");
    }

    @Override
    public void close() {
        try (Admin admin = broker.admin()) {
            admin.deleteTopics(List.of(name)).all().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the topic " + name + " could not be deleted", e);
        }
    }
}
