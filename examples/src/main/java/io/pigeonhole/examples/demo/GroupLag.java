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
public final class GroupLag implements AutoCloseable {
    private final Admin admin;
    private final List<TopicPartition> partitions;
    private final String group;

    /**
     * Of one topic and one group.
     *
     * @param admin is closed with this
     * @param topic the topic
     * @param partitions how many it has
     * @param group the consumer group
     */
    public GroupLag(Admin admin, String topic, int partitions, String group) {
        this.admin = admin;
        this.partitions = IntStream.range(0, partitions)
                .mapToObj(i -> new TopicPartition(topic, i))
                .toList();
        this.group = group;
    }

    /**
     * Counts them.
     *
     * @return how many
     * @throws InterruptedException if somebody interrupts the thread
     */
    public long records() throws InterruptedException {
        try {
            Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(
                            partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())))
                    .all()
                    .get();
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(group)
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
