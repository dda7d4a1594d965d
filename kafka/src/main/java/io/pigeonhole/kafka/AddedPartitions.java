package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions were added to a topic after the group had begun to read it at its end ({@code auto.offset.reset=latest}). They are to
 * begin at their first record: what lies before their end came after the group had begun, and nobody wants to leave it out.
 *
 * <p>Kafka does not say when a partition was made, but it numbers them. So whoever begins with a topic writes how many partitions it has
 * beside the offsets that he commits, and each later commit repeats it: partitions from that number on were added. Without the number,
 * members that start for the first time together would take each other's partitions for added ones, where one is a moment faster
 * than the other, and would read what the topic had before the first of them. It also says what to do with a partition whose
 * member died at the first start before it had committed where it began: it begins at its end, as if the member had started later.
 *
 * <p>Where other partitions have offsets and no number, another program has read the topic, or an offset was reset by hand. Then a
 * partition without an offset is taken for an added one: older messages are less harm than lost ones. The same holds
 * for offsets of a topic that was deleted and made anew, where the brokers have not deleted them with the topic.
 *
 * <p>Used by the poll thread.
 */
final class AddedPartitions {
    private static final Pattern NUMBER = Pattern.compile("began with (\\d{1,9}) partitions");

    private final Consumer<byte[], byte[]> consumer;
    private final Map<String, Integer> numbers = new HashMap<>();

    AddedPartitions(Consumer<byte[], byte[]> consumer) {
        this.consumer = consumer;
    }

    /**
     * What a group has committed of a topic.
     *
     * @param offsets by partition; those without an offset are left out
     * @param partitions how many the topic has now
     */
    record Committed(Map<TopicPartition, OffsetAndMetadata> offsets, int partitions) {
        @Nullable
        OffsetAndMetadata of(TopicPartition partition) {
            return offsets.get(partition);
        }
    }

    /** What the group has committed of the topics of some partitions, by topic. Asks Kafka, and waits for the answer. */
    Map<String, Committed> committed(Collection<TopicPartition> assigned, Duration timeout) {
        Map<String, Integer> sizes = assigned.stream()
                .collect(Collectors.toMap(TopicPartition::topic, each -> each.partition() + 1, Math::max));
        // What this consumer knows of a topic may be older than what the group was given.
        sizes.replaceAll((topic, size) -> Math.max(size, partitionsOf(topic, timeout)));
        Set<TopicPartition> all = new HashSet<>();
        sizes.forEach((topic, size) ->
                IntStream.range(0, size).forEach(number -> all.add(new TopicPartition(topic, number))));
        Map<String, Map<TopicPartition, OffsetAndMetadata>> byTopic = new HashMap<>();
        consumer.committed(all, timeout).forEach((partition, offset) -> {
            if (offset != null) {
                byTopic.computeIfAbsent(partition.topic(), topic -> new HashMap<>())
                        .put(partition, offset);
            }
        });
        Map<String, Committed> committed = new HashMap<>();
        sizes.forEach((topic, size) ->
                committed.put(topic, new Committed(byTopic.getOrDefault(topic, Map.of()), size)));
        committed.forEach(this::noteNumber);
        return committed;
    }

    private int partitionsOf(String topic, Duration timeout) {
        List<PartitionInfo> known = consumer.partitionsFor(topic, timeout);
        return known == null ? 0 : known.size();
    }

    private void noteNumber(String topic, Committed committed) {
        committed.offsets().values().stream()
                .map(offset -> NUMBER.matcher(Objects.requireNonNullElse(offset.metadata(), "")))
                .filter(Matcher::find)
                .mapToInt(number -> Integer.parseInt(number.group(1)))
                .max()
                .ifPresent(number -> numbers.put(topic, number));
        // A topic that has fewer than the group began with is another one of the same name.
        numbers.computeIfPresent(topic, (name, number) -> Math.min(number, committed.partitions()));
    }

    /**
     * Whether a partition without an offset was added. Where the topic is one that the group begins with, it notes the number of its
     * partitions.
     *
     * @param isKnown whether something else says that the group has begun with the topic
     */
    boolean isAdded(TopicPartition partition, Committed committed, boolean isKnown) {
        Integer number = numbers.get(partition.topic());
        if (number == null && !isKnown && committed.offsets().isEmpty()) {
            number = committed.partitions();
            numbers.put(partition.topic(), number);
        }
        return number == null || partition.partition() >= number;
    }

    /** The same offset, with what others of the group have to know of the topic. */
    OffsetAndMetadata marked(TopicPartition partition, OffsetAndMetadata offset) {
        Integer number = numbers.get(partition.topic());
        if (number == null) {
            return offset;
        }
        String before = offset.metadata().isEmpty() ? "pigeonhole" : offset.metadata();
        return new OffsetAndMetadata(
                offset.offset(), offset.leaderEpoch(), before + "; began with " + number + " partitions");
    }

    /** The topic is another one of the same name. */
    void forget(String topic) {
        numbers.remove(topic);
    }
}
