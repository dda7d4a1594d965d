package io.pigeonhole.kafka;

import io.pigeonhole.embedded.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** One topic of a test: what is sent to it, and what its groups have committed. */
final class KafkaTopic implements AutoCloseable {
    private final EmbeddedKafka kafka;
    private final String name;
    private final int partitions;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Admin admin;

    private KafkaTopic(EmbeddedKafka kafka, String name, int partitions, Map<String, Object> producerConfig) {
        this.kafka = kafka;
        this.name = name;
        this.partitions = partitions;
        Map<String, Object> config = new HashMap<>(producerConfig);
        config.put("bootstrap.servers", kafka.bootstrapServers());
        this.admin = kafka.admin();
        this.producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    static KafkaTopic create(EmbeddedKafka kafka, String name, int partitions) {
        kafka.createTopic(name, partitions);
        return of(kafka, name, partitions, Map.of());
    }

    static KafkaTopic of(EmbeddedKafka kafka, String name, int partitions, Map<String, Object> producerConfig) {
        return new KafkaTopic(kafka, name, partitions, producerConfig);
    }

    String name() {
        return name;
    }

    KafkaProducer<byte[], byte[]> producer() {
        return producer;
    }

    ProducerRecord<byte[], byte[]> record(@Nullable String id, @Nullable String key, byte @Nullable [] payload) {
        byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(name, keyBytes, payload);
        record.headers().add("message-type", "test".getBytes(StandardCharsets.UTF_8));
        if (id != null) {
            record.headers().add("message-id", id.getBytes(StandardCharsets.UTF_8));
        }
        return record;
    }

    /** A record in a partition of one's choice. */
    ProducerRecord<byte[], byte[]> record(String id, int partition) {
        byte[] payload = id.getBytes(StandardCharsets.UTF_8);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(name, partition, null, payload);
        record.headers().add("message-type", "test".getBytes(StandardCharsets.UTF_8));
        record.headers().add("message-id", payload);
        return record;
    }

    RecordMetadata send(ProducerRecord<byte[], byte[]> record) {
        return get(producer.send(record));
    }

    RecordMetadata send(String id, @Nullable String key) {
        return send(record(id, key, id.getBytes(StandardCharsets.UTF_8)));
    }

    /** Sends ids from 0 to count - 1, with keys in turn. */
    void sendMany(int count, int keys) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = String.valueOf(i);
            sent.add(producer.send(record(id, "key " + i % keys, id.getBytes(StandardCharsets.UTF_8))));
        }
        sent.forEach(KafkaTopic::get);
    }

    /** What a group has committed, by partition; those at their beginning are left out. */
    Map<Integer, Long> committed(String group) {
        Map<TopicPartition, OffsetAndMetadata> offsets =
                get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        Map<Integer, Long> committed = new HashMap<>();
        offsets.forEach((partition, offset) -> Optional.ofNullable(offset)
                .filter(known -> partition.topic().equals(name) && known.offset() > 0)
                .ifPresent(known -> committed.put(partition.partition(), known.offset())));
        return committed;
    }

    /** Where the partitions end; those that are empty are left out. */
    Map<Integer, Long> ends() {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            asked.put(new TopicPartition(name, i), OffsetSpec.latest());
        }
        Map<TopicPartition, ListOffsetsResultInfo> ends =
                get(admin.listOffsets(asked).all());
        Map<Integer, Long> known = new HashMap<>();
        ends.forEach((partition, end) -> {
            if (end.offset() > 0) {
                known.put(partition.partition(), end.offset());
            }
        });
        return known;
    }

    static <T> T get(Future<T> future) {
        try {
            return future.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Adds partitions, until there are so many. */
    void addPartitions(int total) {
        get(admin.createPartitions(Map.of(name, NewPartitions.increaseTo(total)))
                .all());
    }

    /** As retention does. */
    void deleteRecordsBefore(int partition, long offset) {
        get(admin.deleteRecords(Map.of(new TopicPartition(name, partition), RecordsToDelete.beforeOffset(offset)))
                .all());
    }

    /** Deletes the topic and makes another one of the same name. */
    void recreate() {
        KafkaFuture<Void> deleted = admin.deleteTopics(List.of(name)).all();
        get(deleted);
        kafka.createTopic(name, partitions);
    }

    @Override
    public void close() {
        admin.close();
        producer.close();
    }
}
