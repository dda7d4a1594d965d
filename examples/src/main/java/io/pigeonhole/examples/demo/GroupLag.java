package io.pigeonhole.examples.demo;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** How many records of the topic the consumer group has not acknowledged yet. For one thread. */
final class GroupLag implements AutoCloseable {
    private final Admin admin;
    private final List<TopicPartition> partitions;

    GroupLag(Admin admin, int partitions) {
        this.admin = admin;
        this.partitions = IntStream.range(0, partitions)
                .mapToObj(i -> new TopicPartition(ConsumerSettings.QUEUE, i))
                .toList();
    }

    long records() throws InterruptedException {
        try {
            Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(
                            partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())))
                    .all()
                    .get();
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(ConsumerSettings.CONSUMER)
                    .partitionsToOffsetAndMetadata()
                    .get();
            long lag = 0;
            for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : ends.entrySet()) {
                OffsetAndMetadata done = committed.get(end.getKey());
                lag += end.getValue().offset() - (done == null ? 0 : done.offset());
            }
            return lag;
        } catch (ExecutionException e) {
            throw new IllegalStateException("Kafka does not say how far the group is", e);
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
