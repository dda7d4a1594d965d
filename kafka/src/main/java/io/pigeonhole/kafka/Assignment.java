package io.pigeonhole.kafka;

import io.pigeonhole.core.lane.Consignment;
import io.pigeonhole.core.message.Message;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One partition for as long as it is assigned. When it is assigned anew, there is a new one of these: what is finished late
 * for the old assignment finds only the old tracker. Used by the poll thread.
 */
final class Assignment {
    private final TopicPartition partition;
    private final Consignment consignment;
    private final OffsetTracker tracker = new OffsetTracker();
    private @Nullable OffsetAndMetadata committed;
    private boolean paused;

    Assignment(TopicPartition partition, Consignment consignment) {
        this.partition = partition;
        this.consignment = consignment;
    }

    TopicPartition partition() {
        return partition;
    }

    Consignment consignment() {
        return consignment;
    }

    OffsetTracker tracker() {
        return tracker;
    }

    void submit(ConsumerRecord<byte[], byte[]> record, Message message) {
        consignment.submit(message, partition.hashCode(), tracker.add(record.offset(), record.leaderEpoch()));
    }

    /** The position to commit, or null where it is committed. */
    @Nullable
    OffsetAndMetadata uncommitted() {
        OffsetAndMetadata position = tracker.position();
        return position == null || position.equals(committed) ? null : position;
    }

    /** Notes a position as committed; null where the commit failed, so that it is sent again. */
    void committed(@Nullable OffsetAndMetadata position) {
        committed = position;
    }

    boolean isPaused() {
        return paused;
    }

    void paused(boolean now) {
        paused = now;
    }
}
