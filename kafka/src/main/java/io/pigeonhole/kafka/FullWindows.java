package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of which nothing more is read, because they are as far ahead of their oldest unfinished record as they may be. One
 * that waits for the same record for a minute is a problem: its lag grows, though the source works. Noted by the poll thread, others
 * may ask.
 */
final class FullWindows {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final int window;
    private final LongSupplier clock;
    private volatile Map<TopicPartition, Wait> waits = Map.of();

    /** For which offset a partition waits, and since when. */
    private record Wait(long offset, long since) {}

    FullWindows(int window, LongSupplier clock) {
        this.window = window;
        this.clock = clock;
    }

    /**
     * Notes what is held back by its window now.
     *
     * @param waitingFor the first unfinished offset of each such partition
     */
    void are(Map<TopicPartition, Long> waitingFor) {
        Map<TopicPartition, Wait> now = new HashMap<>();
        waitingFor.forEach((partition, offset) -> {
            @Nullable Wait before = waits.get(partition);
            boolean isSame = before != null && before.offset() == offset;
            now.put(partition, isSame ? before : new Wait(offset, clock.getAsLong()));
        });
        waits = Map.copyOf(now);
    }

    /** A sentence for each partition that has waited for one record for long. */
    List<String> problems() {
        long now = clock.getAsLong();
        return waits.entrySet().stream()
                .filter(each -> now - each.getValue().since() >= TIMEOUT.toNanos())
                .map(
                        each -> each.getKey() + " stands still: for "
                                + Duration.ofNanos(now - each.getValue().since())
                                        .toSeconds()
                                + " s it has waited for its record at offset "
                                + each.getValue().offset()
                                + ", which is not finished, and is as far ahead of it as it may be (window " + window
                                + "). For example, its handler does not return, its key is locked by another"
                                + " transaction in the database, or it belongs to a flood. Nothing more of the partition is read until it is finished")
                .sorted()
                .toList();
    }
}
