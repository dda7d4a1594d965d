package io.pigeonhole.debezium;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic of one partition from its beginning. */
final class TopicReader implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final String topic;
    private final KafkaConsumer<byte[], byte[]> consumer;

    TopicReader(String bootstrapServers, String topic) {
        this.topic = topic;
        this.consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        TopicPartition partition = new TopicPartition(topic, 0);
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
    }

    /**
     * The next ones, and maybe more that came with them.
     *
     * @param worker who writes them
     */
    List<ConsumerRecord<byte[], byte[]>> next(int count, ConnectWorker worker) {
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (read.size() < count) {
            worker.requireNoFailure();
            if (System.nanoTime() > deadline) {
                throw new AssertionError(read.size() + " records of " + count + " came to " + topic + ": " + read);
            }
            consumer.poll(Duration.ofMillis(100)).forEach(read::add);
        }
        return read;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
