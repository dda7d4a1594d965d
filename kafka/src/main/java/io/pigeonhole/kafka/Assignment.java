package io.pigeonhole.kafka;

import io.pigeonhole.core.delivery.DeliveryGroup;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Watermark;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One partition for as long as it is assigned. When it is assigned anew, there is a new one of these: what is finished late
 * for the old assignment finds only the old tracker. Used by the poll thread.
 */
final class Assignment {
    private static final Duration REPEATED_AFTER = Duration.ofMinutes(10);

    private final TopicPartition partition;
    private final DeliveryGroup deliveries;
    private final OffsetTracker tracker = new OffsetTracker();
    private @Nullable String topicPrefix;
    private @Nullable OffsetAndMetadata committed;
    private long committedAt;
    private @Nullable Beginning beginning;
    private @Nullable Watermark owner;
    private long expectedPosition;
    private long provenPosition = -1;
    private long lastFailure;
    private boolean refusedByStore;
    private boolean undecided;
    private boolean placed;
    private boolean refused;
    private boolean paused;
    private boolean farAhead;

    /**
     * That the assignment began.
     *
     * @param starts how many times in a row the partition was begun, and neither survived nor left in good order; 0 where that is
     *     not known, or survived
     */
    record Beginning(int starts) {}

    Assignment(TopicPartition partition, DeliveryGroup deliveries) {
        this.partition = partition;
        this.deliveries = deliveries;
    }

    TopicPartition partition() {
        return partition;
    }

    /**
     * Whether its topic is the one that it was before; the first answer is taken for the right one.
     *
     * @param prefix what the ids of the topic's records begin with now
     */
    boolean isOf(String prefix) {
        if (topicPrefix == null) {
            topicPrefix = prefix;
        }
        return topicPrefix.equals(prefix);
    }

    DeliveryGroup deliveries() {
        return deliveries;
    }

    OffsetTracker tracker() {
        return tracker;
    }

    void submit(ConsumerRecord<byte[], byte[]> record, Message message) {
        OffsetTracker.Slot slot = tracker.add(record.offset(), record.leaderEpoch());
        expectedPosition = Math.max(expectedPosition, record.offset() + 1);
        if (owner == null) {
            deliveries.submit(message, partition.hashCode(), slot);
        } else {
            deliveries.submitInSequence(message, partition.topic().hashCode() + partition.partition(), slot);
        }
    }

    /** Whether nobody has said yet where it begins. Nothing is fetched until then. */
    boolean isUndecided() {
        return undecided;
    }

    void undecided(boolean now) {
        undecided = now;
    }

    /** Whether it is known where it begins. */
    boolean isPlaced() {
        return placed || expectedPosition > 0;
    }

    /** Notes where it begins, so that this is committed although nothing is finished. */
    void beginsAt(long offset) {
        placed = true;
        tracker.beginsAt(new OffsetAndMetadata(offset));
    }

    /** The watermark as it was acquired; null where it was not, or need not be. */
    @Nullable
    Watermark owner() {
        return owner;
    }

    /** Where the watermark stands when all records that were submitted are accepted. */
    long expectedPosition() {
        return expectedPosition;
    }

    /** Where the watermark stands at least, by the commits that this owner has seen. */
    long acceptedPosition() {
        return owner == null ? 0 : Math.max(owner.position(), tracker.finishedTo());
    }

    /** Whether commits have proven since this was asked last that the watermark is still this owner's. */
    boolean hasMoved() {
        long before = provenPosition;
        provenPosition = acceptedPosition();
        return provenPosition != before;
    }

    /** Notes that it is acquired; what is before the position is finished, and its offset may be committed. */
    void owned(Watermark watermark, OffsetAndMetadata position) {
        owner = watermark;
        expectedPosition = watermark.position();
        tracker.polledTo(position);
    }

    /** The number of the last failure to acquire it, 0 before the first; later failures have greater numbers. */
    long lastFailure() {
        return lastFailure;
    }

    /** Notes that it could not be acquired, because of the store or of Kafka. */
    void failed(long number, boolean byStore) {
        lastFailure = number;
        refusedByStore = byStore;
    }

    /** Whether it is to be acquired, and the store did not let it the last time. */
    boolean isWaitingForStore() {
        return owner == null && refusedByStore;
    }

    /**
     * The position to commit, or null where it is committed, and was not long ago: brokers forget offsets that nobody commits for a week, and
     * with the group protocol {@code consumer} even that of a partition in which there is nothing to do.
     */
    @Nullable
    OffsetAndMetadata uncommitted(long now) {
        OffsetAndMetadata position = tracker.position();
        boolean isCommitted = position == null || position.equals(committed);
        return isCommitted && now - committedAt < REPEATED_AFTER.toNanos() ? null : position;
    }

    /** Notes a position as committed; null where the commit failed, so that it is sent again. */
    void committed(@Nullable OffsetAndMetadata position, long now) {
        committed = position;
        committedAt = now;
    }

    /** Whether it was as far ahead of its oldest unfinished record as it may be, and is not taken up again yet. */
    boolean isFarAhead() {
        return farAhead;
    }

    /** Looks how far it is ahead, with the window that it may have. It is taken up again once half of it is left. */
    void noteWindow(int window) {
        int limit = farAhead ? window / 2 : window;
        farAhead = tracker.size() >= Math.max(1, limit);
    }

    boolean isPaused() {
        return paused;
    }

    void paused(boolean now) {
        paused = now;
    }

    /** That it began, or null before its first record. */
    @Nullable
    Beginning beginning() {
        return beginning;
    }

    void beginning(@Nullable Beginning begun) {
        beginning = begun;
    }

    /** Whether it is to begin, and the database was away, or the consumer paused. Nothing is fetched until it has begun. */
    boolean isRefused() {
        return refused;
    }

    void refused(boolean now) {
        refused = now;
    }
}
