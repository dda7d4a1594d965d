package io.pigeonhole.kafka;

import io.pigeonhole.core.lane.Consignment;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Watermark;
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
    private @Nullable Beginning beginning;
    private @Nullable Watermark owner;
    private boolean paused;

    /**
     * Where the assignment began.
     *
     * @param starts how many times in a row it began there
     * @param end behind the records that may have been in work when it ended there before
     */
    record Beginning(int starts, long end) {
        int startsAt(long offset) {
            return offset < end ? starts : 0;
        }
    }

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
        OffsetTracker.Slot slot = tracker.add(record.offset(), record.leaderEpoch());
        if (owner == null) {
            consignment.submit(message, partition.hashCode(), slot);
        } else {
            consignment.submitInSequence(message, partition.topic().hashCode() + partition.partition(), slot);
        }
    }

    /** The watermark as it was acquired; null where it was not, or need not be. */
    @Nullable
    Watermark owner() {
        return owner;
    }

    /** Notes that it is acquired; what is before the position is finished, and Kafka may be told so. */
    void owned(Watermark watermark, OffsetAndMetadata position) {
        owner = watermark;
        tracker.polledTo(position);
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

    /** Where it began, or null before its first record. */
    @Nullable
    Beginning beginning() {
        return beginning;
    }

    void beginning(@Nullable Beginning begun) {
        beginning = begun;
    }
}
