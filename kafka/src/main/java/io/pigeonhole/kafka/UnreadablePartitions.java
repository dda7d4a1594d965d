package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.FailureText;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Partitions that the consumer cannot read: those with a batch whose checksum is wrong, for instance, and those of which it is not
 * said where to begin. A consumer throws at one of them again and again, before it looks at its other partitions; so such a
 * partition is paused, and the others go on. Nothing of it is passed over. Only another consumer fetches the batch, or asks for the
 * group's offset, once more; that is tried again and again, with pauses that grow.
 *
 * <p>Used by the poll thread; others may ask for the problems.
 */
final class UnreadablePartitions {
    private static final Logger log = LoggerFactory.getLogger(UnreadablePartitions.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    private final String name;
    private final LongSupplier clock;
    private final Map<TopicPartition, Failure> failures = new ConcurrentHashMap<>();
    /** Those that the present consumer could not read. */
    private final Set<TopicPartition> held = ConcurrentHashMap.newKeySet();

    private record Failure(int times, long nextTry, Throwable why) {}

    UnreadablePartitions(String name, LongSupplier clock) {
        this.name = name;
        this.clock = clock;
    }

    /** Another consumer begins. */
    void begin() {
        held.clear();
    }

    /** Notes the partition that the consumer could not read; false where the failure is none of a single partition. */
    boolean failed(KafkaException why, Collection<TopicPartition> assigned) {
        TopicPartition partition = partitionOf(why, assigned);
        if (partition == null || !held.add(partition)) {
            return false;
        }
        hold(partition, why);
        return true;
    }

    /** Notes partitions whose next offset is not known, or not there any more; answers those of them that are assigned. */
    Set<TopicPartition> withoutOffset(InvalidOffsetException why, Collection<TopicPartition> assigned) {
        Set<TopicPartition> concerned = new HashSet<>(why.partitions());
        concerned.retainAll(assigned);
        // When the group gives a partition anew, its consumer says it again.
        concerned.stream().filter(held::add).forEach(partition -> hold(partition, why));
        return concerned;
    }

    private void hold(TopicPartition partition, KafkaException why) {
        Failure before = failures.get(partition);
        int times = before == null ? 0 : before.times();
        long pause = Math.min(LONGEST_PAUSE.toNanos(), FIRST_PAUSE.toNanos() << Math.min(times, 16));
        failures.put(partition, new Failure(times + 1, clock.getAsLong() + pause, why));
        log.warn(
                "{}: {} cannot be read where it stands; it is held back, the other partitions go on. It is tried once more in {} s. {}",
                name,
                partition,
                Duration.ofNanos(pause).toSeconds(),
                advice(why),
                FailureText.readable(why));
    }

    private static String advice(Throwable why) {
        String howTo = "stop all members of the group and reset the offset of the partition"
                + " (kafka-consumer-groups --reset-offsets). With watermarks that is not enough: docs/kafka.md says under"
                + " \"A partition without an offset\" what forgetting them does to all partitions of the topic";
        return why instanceof InvalidOffsetException
                ? "Nothing says where to begin, as auto.offset.reset is none, or the log is read by watermarks. To decide it, "
                        + howTo
                : "Where the record is lost, pass over it: " + howTo;
    }

    private static @Nullable TopicPartition partitionOf(KafkaException why, Collection<TopicPartition> assigned) {
        if (why instanceof RecordDeserializationException undecodable) {
            return assigned.contains(undecodable.topicPartition()) ? undecodable.topicPartition() : null;
        }
        // Only the text of the error says so.
        List<TopicPartition> named = assigned.stream()
                .filter(partition -> Causes.of(why).stream().anyMatch(cause -> names(cause, partition)))
                .toList();
        return named.size() == 1 ? named.get(0) : null;
    }

    private static boolean names(Throwable cause, TopicPartition partition) {
        return Pattern.compile("(?<![\\w.-])" + Pattern.quote(partition.toString()) + "(?![\\w-])")
                .matcher(FailureText.messageOf(cause))
                .find();
    }

    boolean holdsBack(TopicPartition partition) {
        return held.contains(partition);
    }

    /** Records of these were read; the others, if any is held back, are the group's to give. */
    void read(Collection<TopicPartition> read, Collection<TopicPartition> assigned) {
        if (!failures.isEmpty()) {
            read.forEach(failures::remove);
            held.retainAll(assigned);
        }
    }

    /** Whether another consumer is to try what this one could not read. */
    boolean isTime() {
        return held.stream()
                .map(failures::get)
                .anyMatch(failure -> failure != null && clock.getAsLong() - failure.nextTry() >= 0);
    }

    /** One sentence for each partition that is held back. */
    List<String> problems() {
        return held.stream()
                .map(partition -> {
                    Failure failure = failures.get(partition);
                    return failure == null
                            ? partition + " cannot be read"
                            : partition + " cannot be read: " + FailureText.describe(failure.why()) + ". "
                                    + advice(failure.why());
                })
                .sorted()
                .toList();
    }
}
