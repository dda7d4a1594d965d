package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.inbox.SourceInbox;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.StoreRefusal;
import io.pigeonhole.core.store.Watermark;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires partitions in the database and seeks to their watermarks, for an inbox that deduplicates by the place in the log.
 * What the broker remembers of offsets counts once only: where there is no watermark yet. Used by the poll thread.
 */
final class LogOwner {
    private static final Logger log = LoggerFactory.getLogger(LogOwner.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofMillis(300);

    /** Behind this, partitions wait for the next turn. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(2);

    private static final Duration LONGEST_PAUSE_OF_STORE = Duration.ofSeconds(2);

    /** Committed with an offset where the database has a watermark, so that a database that has lost it is noticed. */
    private static final String MARK = "pigeonhole: the watermark in the database decides";

    private final SourceInbox inbox;
    private final Consumer<byte[], byte[]> consumer;
    private final TopicIdentities identities;
    private final @Nullable AddedPartitions added;
    private final UnaryOperator<String> sourceName;
    private final LogStart start;
    private final LongSupplier clock;
    private final Map<TopicPartition, Beginning> beginnings = new HashMap<>();
    private long nextTry;
    private long failures;
    private volatile boolean waiting;
    private volatile @Nullable String problem;

    /** Where this process has begun with a partition that had no watermark. */
    private record Beginning(String log, long position) {}

    LogOwner(
            SourceInbox inbox,
            Consumer<byte[], byte[]> consumer,
            TopicIdentities identities,
            @Nullable AddedPartitions added,
            UnaryOperator<String> sourceName,
            LogStart start,
            LongSupplier clock) {
        this.inbox = inbox;
        this.consumer = consumer;
        this.identities = identities;
        this.added = added;
        this.sourceName = sourceName;
        this.start = start;
        this.clock = clock;
        this.nextTry = clock.getAsLong();
    }

    /** Whether the database did not let it acquire a partition that this member has. */
    boolean isWaiting() {
        return waiting;
    }

    /** Why the database did not let it, at the last failure. */
    @Nullable
    String problem() {
        return problem;
    }

    /** The same position, as one that is information only. */
    static OffsetAndMetadata marked(OffsetAndMetadata position) {
        return new OffsetAndMetadata(position.offset(), position.leaderEpoch(), MARK);
    }

    /** Until the partition is acquired, nobody may fetch from it; the position that this sets keeps Kafka from choosing one. */
    void prepare(TopicPartition partition) {
        Uninterrupted.call(() -> consumer.seek(partition, 0));
    }

    /**
     * Acquires the partitions that need it, as far as that is possible now; it is to be called again. After a failure all of
     * them wait, because a failure may cost the poll thread time; then the one that failed last is tried last, so that it
     * holds back none that can be acquired.
     *
     * @throws ConfigurationException if somebody has to decide something first
     * @throws NoOffsetForPartitionException if that concerns a single partition
     */
    void acquire(Collection<Assignment> assignments) {
        List<Assignment> missing = assignments.stream()
                .filter(assignment -> assignment.owner() == null)
                .sorted(Comparator.comparingLong(Assignment::lastFailure))
                .toList();
        long begun = clock.getAsLong();
        for (Assignment assignment : missing) {
            // Slow answers add up, and Kafka takes a member that does not poll for dead.
            if (clock.getAsLong() - begun < LONGEST_TURN.toNanos()) {
                acquire(assignment);
            }
        }
        waiting = missing.stream().anyMatch(Assignment::isWaitingForStore);
    }

    private void acquire(Assignment assignment) {
        TopicPartition partition = assignment.partition();
        String identity = identities.prefixOf(partition.topic());
        long begun = clock.getAsLong();
        if (identity == null || begun - nextTry < 0) {
            return;
        }
        try {
            LogPartition ofInbox = new LogPartition(sourceName.apply(partition.topic()), partition.partition());
            Watermark watermark = inbox.acquire(ofInbox, identity.substring(0, identity.length() - 1));
            if (!watermark.hasPosition()) {
                watermark = inbox.beginAt(watermark, beginning(partition, watermark));
                beginnings.put(partition, new Beginning(watermark.log(), watermark.position()));
            }
            Optional<Integer> leaderEpoch =
                    watermark.leaderEpoch() < 0 ? Optional.empty() : Optional.of(watermark.leaderEpoch());
            OffsetAndMetadata position = new OffsetAndMetadata(watermark.position(), leaderEpoch, "");
            consumer.seek(partition, position);
            assignment.owned(watermark, position);
            log.info("{} is acquired by '{}' at {}", partition, inbox.consumer(), watermark);
        } catch (ConfigurationException e) {
            throw e;
        } catch (PigeonholeException e) {
            problem = StoreRefusal.describe(e);
            tryLater(assignment, begun, LONGEST_PAUSE_OF_STORE, e);
        } catch (RetriableException | CommitFailedException | RebalanceInProgressException e) {
            tryLater(assignment, begun, TIMEOUT, e);
        }
    }

    /** The pause is as long as the failure took, within bounds: the poll thread has other things to do. */
    private void tryLater(Assignment assignment, long begun, Duration longest, RuntimeException why) {
        long now = clock.getAsLong();
        nextTry = now + Math.max(PAUSE.toNanos(), Math.min(longest.toNanos(), now - begun));
        failures++;
        assignment.failed(failures, why instanceof PigeonholeException);
        log.debug("{} cannot be acquired by '{}' now, trying again", assignment.partition(), inbox.consumer(), why);
    }

    private long beginning(TopicPartition partition, Watermark watermark) {
        // Without a rule where to begin, what somebody has committed for the group is what he has decided.
        if (watermark.position() != Watermark.FORGOTTEN || start == LogStart.NONE) {
            Beginning before = beginnings.get(partition);
            if (watermark.position() == Watermark.UNKNOWN
                    && before != null
                    && before.log().equals(watermark.log())) {
                log.warn(
                        "{} of '{}' begins at {} once more: the database has lost its watermark",
                        partition,
                        inbox.consumer(),
                        before.position());
                return before.position();
            }
            OffsetAndMetadata committed =
                    consumer.committed(Set.of(partition), TIMEOUT).get(partition);
            if (committed != null && watermark.position() == Watermark.UNKNOWN && isMarked(committed)) {
                throw lostWatermark(partition, committed.offset());
            }
            if (committed != null) {
                return committed.offset();
            }
        }
        return switch (start) {
            case EARLIEST -> first(partition);
            case LATEST -> latest(partition, watermark);
            case NONE -> throw new NoOffsetForPartitionException(partition);
        };
    }

    private long first(TopicPartition partition) {
        return Objects.requireNonNull(
                consumer.beginningOffsets(Set.of(partition), TIMEOUT).get(partition));
    }

    /**
     * Its end, but its first record where it was added to a topic that is read already. The end is committed before the database
     * knows of it: other members that begin for the first time, and find a position in the database, see in the offset how many
     * partitions the topic had then. A process that dies in between leaves an offset, at which the next one begins.
     */
    private long latest(TopicPartition partition, Watermark watermark) {
        boolean wasForgotten = watermark.position() == Watermark.FORGOTTEN;
        if (added != null && !wasForgotten) {
            boolean isRead = isRead(watermark);
            AddedPartitions.Committed committed = Objects.requireNonNull(
                    added.committed(Set.of(partition), TIMEOUT).get(partition.topic()));
            if (added.isAdded(partition, committed, isRead)) {
                log.info("'{}': {}", inbox.consumer(), LatestReset.sentence(Set.of(partition)));
                return first(partition);
            }
        }
        long end = Objects.requireNonNull(
                consumer.endOffsets(Set.of(partition), TIMEOUT).get(partition));
        if (added != null && !wasForgotten) {
            consumer.commitSync(Map.of(partition, added.marked(partition, new OffsetAndMetadata(end))), TIMEOUT);
        }
        return end;
    }

    /** Whether the database knows of an earlier partition of the same topic where it is read. To be asked before Kafka is. */
    private boolean isRead(Watermark watermark) {
        List<LogPartition> earlier = IntStream.range(0, watermark.partition().partition())
                .mapToObj(number -> new LogPartition(watermark.partition().source(), number))
                .toList();
        return !earlier.isEmpty()
                && inbox.watermarks(earlier).stream()
                        .anyMatch(other -> other.hasPosition() && other.log().equals(watermark.log()));
    }

    private static boolean isMarked(OffsetAndMetadata committed) {
        return committed.metadata() != null && committed.metadata().startsWith(MARK);
    }

    /** The offset followed a watermark. To go on there would leave out what this database does not have. */
    private ConfigurationException lostWatermark(TopicPartition partition, long committed) {
        String forgotten = start == LogStart.NONE
                ? " to go on at that offset, because of auto.offset.reset=none, without what this database has lost"
                : " to begin as auto.offset.reset says";
        return new ConfigurationException(
                "Kafka source of inbox '" + inbox.consumer() + "': the group has committed offset "
                        + committed + " of " + partition
                        + " behind a watermark, but this database has none under the source's name: it has lost commits, is"
                        + " another one, or sourceName was changed. Nothing is read, so that nothing is left out. Decide where to"
                        + " begin (what was applied under another sourceName is applied again from there): either reset the"
                        + " group's offset of the partition (kafka-consumer-groups --reset-offsets), or call Admin.forgetWatermarks"
                        + forgotten + "; then start the source again");
    }
}
