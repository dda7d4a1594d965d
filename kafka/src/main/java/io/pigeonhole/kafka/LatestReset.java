package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets where the partitions begin that a member gets with {@code auto.offset.reset=latest}: at the offset of the group; without one
 * at the end, but {@linkplain AddedPartitions added ones} at their first record. A consumer by itself would begin these at their
 * end, too, and leave out what came before the group has noticed them. It costs no question more: Kafka's consumer does not ask for
 * the offset of a partition that was given a position.
 *
 * <p>Used by the poll thread; others may ask for the problem.
 */
final class LatestReset {
    private static final Logger log = LoggerFactory.getLogger(LatestReset.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofMillis(300);

    private final String name;
    private final Consumer<byte[], byte[]> consumer;
    private final AddedPartitions added;
    private final LongSupplier clock;
    private long nextTry;
    private volatile @Nullable String problem;

    LatestReset(String name, Consumer<byte[], byte[]> consumer, AddedPartitions added, LongSupplier clock) {
        this.name = name;
        this.consumer = consumer;
        this.added = added;
        this.clock = clock;
        this.nextTry = clock.getAsLong();
    }

    /**
     * Until it is decided where the partition begins, nobody may fetch from it; the position that this sets keeps Kafka from choosing
     * one.
     */
    void prepare(Assignment assignment) {
        assignment.undecided(true);
        Uninterrupted.call(() -> consumer.seek(assignment.partition(), 0));
    }

    /** Decides where these begin, all with one question. It is to be called again: while Kafka does not answer they wait. */
    void decide(Collection<Assignment> undecided) {
        long begun = clock.getAsLong();
        if (undecided.isEmpty()) {
            problem = null;
            return;
        }
        if (begun - nextTry < 0) {
            return;
        }
        Set<TopicPartition> partitions = new HashSet<>();
        undecided.forEach(assignment -> partitions.add(assignment.partition()));
        try {
            decide(undecided, added.committed(partitions, TIMEOUT));
            problem = null;
        } catch (InterruptException e) {
            throw e;
        } catch (KafkaException e) {
            if (PollErrors.endsConsumer(e)) {
                throw e;
            }
            // As long as it took, since the poll thread has other things to do.
            long now = clock.getAsLong();
            nextTry = now + Math.max(PAUSE.toNanos(), now - begun);
            problem = "Kafka does not say which offsets the group has of " + partitions
                    + ", and nothing of them is read before: " + e;
            log.debug("{}: {}", name, problem, e);
        }
    }

    private void decide(Collection<Assignment> undecided, Map<String, AddedPartitions.Committed> committed) {
        List<TopicPartition> first = new ArrayList<>();
        List<TopicPartition> end = new ArrayList<>();
        for (Assignment assignment : undecided) {
            TopicPartition partition = assignment.partition();
            AddedPartitions.Committed ofTopic = Objects.requireNonNull(committed.get(partition.topic()));
            OffsetAndMetadata offset = ofTopic.of(partition);
            if (offset != null) {
                Uninterrupted.call(() -> consumer.seek(partition, offset));
            } else {
                (added.isAdded(partition, ofTopic, false) ? first : end).add(partition);
            }
        }
        if (!first.isEmpty()) {
            log.info("{}: {}", name, sentence(first));
            Uninterrupted.call(() -> consumer.seekToBeginning(first));
        }
        if (!end.isEmpty()) {
            Uninterrupted.call(() -> consumer.seekToEnd(end));
        }
        undecided.forEach(assignment -> assignment.undecided(false));
    }

    /** Why it begins where auto.offset.reset does not say. */
    static String sentence(Collection<TopicPartition> added) {
        return added + " begin at their first record, although auto.offset.reset is latest: they were added after the"
                + " group had begun to read the topic";
    }

    /** Why nothing is read of some partitions; null where that is not so. */
    @Nullable
    String problem() {
        return problem;
    }
}
