package io.pigeonhole.examples.chain;

import io.pigeonhole.embedded.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Reads the topic beside the service's group, and appends records of it again, with their key and their headers. */
final class KafkaInjector implements Injector {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long JOIN_MILLIS = 5_000;

    private final String servers;
    private final Duplicates duplicates = new Duplicates();
    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread = new Thread(this::run, "kafka-injector");
    private volatile boolean closed;

    KafkaInjector(EmbeddedKafka kafka) {
        this.servers = kafka.bootstrapServers();
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers), new ByteArraySerializer(), new ByteArraySerializer());
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Duplicates duplicates() {
        return duplicates;
    }

    private void run() {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", servers, "enable.auto.commit", false),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = IntStream.range(0, Stage.PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(Stage.PLACED.place(), partition))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (!closed) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    String id =
                            new String(record.headers().lastHeader("message-id").value(), StandardCharsets.UTF_8);
                    duplicates.seen(id, Order.of(record.value()).reference(), () -> append(record));
                }
            }
        } catch (Exception e) {
            duplicates.failed(e);
        }
    }

    private void append(ConsumerRecord<byte[], byte[]> record) {
        Future<RecordMetadata> unused = producer.send(
                new ProducerRecord<>(
                        record.topic(), record.partition(), record.key(), record.value(), record.headers()),
                (metadata, exception) -> {
                    if (exception != null) {
                        duplicates.failed(exception);
                    }
                });
    }

    @Override
    public void finish() throws Exception {
        duplicates.flush();
        producer.flush();
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close(Duration.ZERO);
    }
}
