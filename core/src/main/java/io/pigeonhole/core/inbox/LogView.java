package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the watermarks, as one transaction has read them, say about messages of logs. They are read in every transaction
 * anew and nothing of them is remembered, so that a commit with an unknown end, a pause or another owner need no care here:
 * what was read is compared again when the watermarks are advanced, in the same transaction as the effects. Used by one
 * thread.
 */
final class LogView {
    private static final LogView NONE = new LogView(Map.of(), Set.of());

    private final Map<LogPartition, Watermark> watermarks;
    /** Those before which something is missing that the database has not accepted, as far as it remembers. */
    private final Set<Envelope> behindAGap;

    private @Nullable Watermark foundLast;

    private LogView(Map<LogPartition, Watermark> watermarks, Set<Envelope> behindAGap) {
        this.watermarks = watermarks;
        this.behindAGap = behindAGap;
    }

    /** For consumers that deduplicate by ids. */
    static LogView none() {
        return NONE;
    }

    /** Reads the watermarks of the messages' partitions; asks the database nothing where there are none. */
    static LogView read(InboxTransaction<?> transaction, RegisteredConsumer consumer, List<Envelope> group) {
        Map<LogPartition, LogPosition> last = new LinkedHashMap<>();
        for (Envelope envelope : group) {
            LogPartition partition = envelope.partition();
            if (partition != null) {
                LogPosition before = last.put(partition, positionOf(envelope));
                if (before != null) {
                    requireNext(before, envelope);
                }
            }
        }
        if (last.isEmpty()) {
            return NONE;
        }
        Map<LogPartition, Watermark> found = new HashMap<>();
        for (Watermark watermark : transaction.watermarks(consumer, last.keySet())) {
            found.put(watermark.partition(), watermark);
        }
        return new LogView(found, behindAGap(found, group));
    }

    /** What is behind a message of an earlier assignment, which is refused, could have its effect and yet not advance the watermark. */
    private static void requireNext(LogPosition before, Envelope envelope) {
        LogPosition position = positionOf(envelope);
        if (before.offset() >= position.offset()) {
            throw new IllegalArgumentException(envelope.message() + " comes after the offset " + before.offset()
                    + ": the messages of a partition are handed in with ascending offsets");
        }
        if (before.assignment() != position.assignment() || !before.log().equals(position.log())) {
            throw new IllegalArgumentException(envelope.message() + " was read in the assignment "
                    + position.assignment()
                    + " of the log " + position.log() + ", the message before it in " + before.assignment() + " of "
                    + before.log() + ": drop what was read in an earlier one, or hand it in by a call of its own");
        }
    }

    /**
     * A database that has lost commits, by a failover to a standby that was behind, has lost the watermark's steps with the
     * effects. Whoever read the messages goes on where it was; what it hands in then must not take the watermark over what is
     * lost.
     */
    private static Set<Envelope> behindAGap(Map<LogPartition, Watermark> watermarks, List<Envelope> group) {
        Map<LogPartition, Long> reached = new HashMap<>();
        Set<Envelope> behind = new HashSet<>();
        @Nullable LogPartition current = null;
        long next = Long.MIN_VALUE;
        for (Envelope envelope : group) {
            LogPartition partition = envelope.partition();
            if (partition == null) {
                continue;
            }
            if (!partition.equals(current)) {
                if (current != null) {
                    reached.put(current, next);
                }
                current = partition;
                Watermark watermark = watermarks.get(partition);
                next = reached.getOrDefault(partition, watermark == null ? Long.MIN_VALUE : watermark.position());
            }
            LogPosition position = positionOf(envelope);
            if (position.expectedPosition() > next) {
                behind.add(envelope);
            } else {
                next = Math.max(next, position.offset() + 1);
            }
        }
        return behind;
    }

    private static LogPosition positionOf(Envelope envelope) {
        return Objects.requireNonNull(envelope.message().logPosition());
    }

    /**
     * Why the message must not be taken as it was read: its reader has to acquire the partition anew. Null where it may be.
     */
    @Nullable
    String refusal(Envelope envelope) {
        if (isOfAnother(envelope)) {
            return "another owner has its partition";
        }
        if (behindAGap.contains(envelope)) {
            return "the watermark of its partition is at "
                    + Objects.requireNonNull(watermarks.get(envelope.partition()))
                            .position()
                    + ", but its reader expects it at " + positionOf(envelope).expectedPosition()
                    + ": the database has lost commits; the partition has to be acquired and read anew from the watermark";
        }
        return null;
    }

    /** Whether the message's partition, or its log, was acquired by somebody else since this message was read. */
    private boolean isOfAnother(Envelope envelope) {
        if (envelope.partition() == null) {
            return false;
        }
        Watermark watermark = watermarkOf(envelope.partition());
        LogPosition position = positionOf(envelope);
        if (watermark == null
                || watermark.assignment() != position.assignment()
                || !watermark.log().equals(position.log())) {
            return true;
        }
        if (!watermark.hasPosition()) {
            throw new ConfigurationException("the watermark of " + envelope.partition()
                    + " has no position yet: fix its beginning before its messages are handed in");
        }
        return false;
    }

    /** Whether the message is accepted already. */
    boolean isBehind(Envelope envelope) {
        Watermark watermark = envelope.partition() == null ? null : watermarkOf(envelope.partition());
        return watermark != null && positionOf(envelope).offset() < watermark.position();
    }

    /** Mostly it is that of the message before. */
    private @Nullable Watermark watermarkOf(LogPartition partition) {
        Watermark watermark = foundLast;
        if (watermark == null || !watermark.partition().equals(partition)) {
            watermark = watermarks.get(partition);
            foundLast = watermark;
        }
        return watermark;
    }

    /** Whether the message may be new, as far as its place says. */
    boolean isAhead(Envelope envelope) {
        return refusal(envelope) == null && !isBehind(envelope);
    }

    /** The steps over all messages that will be settled when the transaction commits. */
    List<Advance> advances(List<Envelope> group) {
        Set<LogPartition> stopped = new HashSet<>();
        Map<LogPartition, LogPosition> last = new LinkedHashMap<>();
        for (Envelope envelope : group) {
            LogPartition partition = envelope.partition();
            if (partition == null || stopped.contains(partition)) {
                continue;
            }
            Outcome outcome = envelope.proposed();
            if (outcome == null || !outcome.settled()) {
                stopped.add(partition);
            } else if (!isBehind(envelope)) {
                last.put(partition, positionOf(envelope));
            }
        }
        List<Advance> advances = new ArrayList<>(last.size());
        last.forEach((partition, position) -> advances.add(new Advance(
                Objects.requireNonNull(watermarks.get(partition)), position.offset() + 1, position.leaderEpoch())));
        return advances;
    }
}
