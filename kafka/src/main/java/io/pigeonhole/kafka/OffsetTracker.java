package io.pigeonhole.kafka;

import io.pigeonhole.core.delivery.Settlement;
import io.pigeonhole.core.inbox.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Knows up to where the records of one partition are finished without a gap. Used by the poll thread; only the slots that it
 * hands out are finished by other threads.
 */
final class OffsetTracker {
    /** What becomes only of records that were unfinished. */
    private static final Set<Outcome.Kind> NEW =
            EnumSet.of(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED, Outcome.Kind.RECEIVED, Outcome.Kind.IGNORED);

    private final Deque<Slot> unfinished = new ArrayDeque<>();
    private long next;
    private @Nullable OffsetAndMetadata polledTo;
    private @Nullable OffsetAndMetadata position;
    private long finishedTo;
    private long finishedNew;

    /** Whether a record may follow those added: within one life of a partition, offsets only grow. */
    boolean follows(long offset) {
        return offset >= next;
    }

    /** Notes a record that was polled. */
    Slot add(long offset, Optional<Integer> leaderEpoch) {
        if (!follows(offset)) {
            throw new IllegalArgumentException("offset " + offset + " after " + (next - 1));
        }
        next = offset + 1;
        polledTo = null;
        Slot slot = new Slot(offset, leaderEpoch);
        unfinished.addLast(slot);
        return slot;
    }

    /** Notes where the partition begins, before any record of it is finished. */
    void beginsAt(OffsetAndMetadata begin) {
        if (position == null) {
            position = begin;
        }
    }

    /** Notes where the consumer stands behind the records added: behind aborted records and markers, too. */
    void polledTo(OffsetAndMetadata end) {
        polledTo = end;
    }

    /** The position to commit: no record before it is unfinished. Null while there is nothing to commit. */
    @Nullable
    OffsetAndMetadata position() {
        advance();
        return position;
    }

    /** Behind the last record that is finished without a gap before it; 0 where there is none. */
    long finishedTo() {
        advance();
        return finishedTo;
    }

    /** Where the first unfinished record stands; where the next one is expected if there is none. */
    long firstUnfinished() {
        advance();
        return unfinished.isEmpty() ? next : unfinished.getFirst().offset;
    }

    /** How many records that no earlier delivery had finished are finished without a gap before them. */
    long finishedNew() {
        advance();
        return finishedNew;
    }

    /** How many records lie between the position and the last record added. */
    int size() {
        advance();
        return unfinished.size();
    }

    private void advance() {
        Slot last = null;
        while (!unfinished.isEmpty() && unfinished.getFirst().finished) {
            last = unfinished.removeFirst();
            finishedNew += last.isNew ? 1 : 0;
        }
        if (last != null) {
            finishedTo = last.offset + 1;
            position = new OffsetAndMetadata(finishedTo, last.leaderEpoch, "");
        }
        if (unfinished.isEmpty() && polledTo != null) {
            position = polledTo;
        }
    }

    /** One record on its way. */
    static final class Slot implements Settlement {
        private final long offset;
        private final Optional<Integer> leaderEpoch;
        private boolean isNew;
        private volatile boolean finished;

        private Slot(long offset, Optional<Integer> leaderEpoch) {
            this.offset = offset;
            this.leaderEpoch = leaderEpoch;
        }

        @Override
        public void settled(Outcome outcome) {
            isNew = NEW.contains(outcome.kind());
            finished = true;
        }
    }
}
