package io.pigeonhole.core.lane;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/** What waits in a lane, in order: the new ones, and those held because they were busy. Guarded by the lane's lock. */
final class LaneQueue {
    private final Deque<Entry> fresh = new ArrayDeque<>();
    private final HeldEntries held = new HeldEntries();

    void add(Entry entry) {
        fresh.addLast(entry);
    }

    /** Up to so many entries to hand in now, maybe none. */
    List<Entry> take(int max, long now) {
        boolean headsAreDue = !held.isEmpty() && held.nanosUntilDue(now) <= 0;
        List<Entry> heads = headsAreDue ? held.heads(max) : List.of();
        // Large enough before anything is taken out: where memory is short, no entry may be lost.
        List<Entry> batch = new ArrayList<>(Math.min(max, heads.size() + fresh.size()));
        batch.addAll(heads);
        while (batch.size() < max && !fresh.isEmpty()) {
            Entry entry = fresh.getFirst();
            if (held.isEmpty() || !held.queuedBehind(entry)) {
                batch.add(entry);
            }
            fresh.removeFirst();
        }
        return batch;
    }

    /** How long until {@link #take} has something, if nothing is added; {@link Long#MAX_VALUE} where it never will. */
    long nanosUntilNext(long now) {
        if (!fresh.isEmpty()) {
            return 0;
        }
        return held.isEmpty() ? Long.MAX_VALUE : held.nanosUntilDue(now);
    }

    /** An entry that was taken is not settled yet: it is handed in again after a pause. */
    void busy(Entry entry, long now) {
        held.busy(entry, now);
    }

    /** An entry that was taken is settled. */
    void settled(Entry entry) {
        List<Entry> free = held.settled(entry);
        for (int i = free.size() - 1; i >= 0; i--) {
            fresh.addFirst(free.get(i));
        }
    }

    /** Removes the entries that match. */
    void removeIf(Predicate<Entry> gone) {
        fresh.removeIf(gone);
        held.removeIf(gone);
    }
}
