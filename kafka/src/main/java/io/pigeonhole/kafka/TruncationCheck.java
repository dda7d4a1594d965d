package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds records that have taken the places of others, for an inbox whose ids are made of places: after an unclean leader election
 * the log is shorter than what was read of it, and what is written then gets the same offsets once more, in a later leader epoch.
 * Such a record would be taken for a duplicate. Used by the poll thread.
 */
final class TruncationCheck {
    private static final Logger log = LoggerFactory.getLogger(TruncationCheck.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Committed with an offset, before offset, leader epoch and topic of what was read. */
    private static final String MARK = "pigeonhole: read to ";

    private final String name;
    private final Consumer<byte[], byte[]> consumer;

    TruncationCheck(String name, Consumer<byte[], byte[]> consumer) {
        this.name = name;
        this.consumer = consumer;
    }

    /**
     * Up to where a partition was read.
     *
     * @param topic the identity of its topic
     * @param end what was read, with the leader epoch of the last record before it
     */
    record Read(String topic, OffsetAndMetadata end) {
        private static final Read NOTHING = new Read("", new OffsetAndMetadata(0));

        private static Read of(@Nullable OffsetAndMetadata committed) {
            if (committed == null || !committed.metadata().startsWith(MARK)) {
                return NOTHING;
            }
            String[] parts = committed.metadata().substring(MARK.length()).split(" ", 3);
            int leaderEpoch = Integer.parseInt(parts[1]);
            return new Read(
                    parts[2],
                    new OffsetAndMetadata(
                            Long.parseLong(parts[0]),
                            leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch),
                            ""));
        }

        /** What is read behind another position, too; a position before what was read takes nothing back. */
        Read to(String topicNow, OffsetAndMetadata position) {
            return topicNow.equals(topic) && position.offset() < end.offset() ? this : new Read(topicNow, position);
        }

        /** A position to commit, with what was read. */
        OffsetAndMetadata mark(OffsetAndMetadata position) {
            String text = MARK + end.offset() + " " + end.leaderEpoch().orElse(-1) + " " + topic;
            return new OffsetAndMetadata(position.offset(), position.leaderEpoch(), text);
        }
    }

    /** Learns how far the group has read partitions before this member did; to be called again where Kafka does not tell now. */
    void learn(Collection<Assignment> assignments) {
        if (assignments.isEmpty()) {
            return;
        }
        Set<TopicPartition> partitions =
                assignments.stream().map(Assignment::partition).collect(Collectors.toSet());
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(partitions, PATIENCE);
            assignments.forEach(assignment -> assignment.read(Read.of(committed.get(assignment.partition()))));
        } catch (InterruptException e) {
            Uninterrupted.clear();
        } catch (RetriableException e) {
            log.debug("{}: Kafka does not tell the committed offsets of {} now, asking again", name, partitions, e);
        }
    }

    /**
     * Refuses a record that has the place of another.
     *
     * @param topic the identity of the record's topic
     * @throws ConfigurationException if it has, with what to do
     */
    void require(Assignment assignment, String topic, ConsumerRecord<byte[], byte[]> record) {
        Read read = assignment.read();
        if (read == null || record.offset() >= read.end().offset() || !topic.equals(read.topic())) {
            return;
        }
        Optional<Integer> before = read.end().leaderEpoch();
        Optional<Integer> now = record.leaderEpoch();
        if (before.isEmpty() || now.isEmpty() || now.get() > before.get()) {
            throw new ConfigurationException(name + ": " + assignment.partition()
                    + " was truncated, by an unclean leader"
                    + " election for instance. It was read up to offset "
                    + read.end().offset() + " in leader epoch " + textOf(before) + ", and at offset " + record.offset()
                    + " there is another record now, of leader epoch " + textOf(now) + ", in the same topic (" + topic
                    + "). Ids made of places (IdFallback.TRANSPORT) would make duplicates of the new records before offset "
                    + read.end().offset()
                    + ". None of them is read, so that none is left out. Decide about them: to process"
                    + " them, give the topic another source name (KafkaSourceBuilder.sourceName) and reset the group's offset"
                    + " of the partition to " + record.offset()
                    + " (kafka-consumer-groups --reset-offsets); to leave them"
                    + " out, reset it to " + read.end().offset() + "; then start the source again");
        }
    }

    private static String textOf(Optional<Integer> epoch) {
        return epoch.map(String::valueOf).orElse("unknown");
    }
}
