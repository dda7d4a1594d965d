package io.pigeonhole.core.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a delivery thread, in order: the new ones, and those held because they were busy. Where the memory is used up in the
 * middle, each entry is where it was before, or where it is to be. Guarded by the thread's lock.
 */
final class DeliveryThreadQueue {
    private final EntryQueue fresh = new EntryQueue();
    private final HeldEntries held = new HeldEntries();

    void add(Entry entry) {
        fresh.addLast(entry);
    }

    /** Up to so many entries to hand in now, maybe none. */
    List<Entry> take(int max, long now) {
        boolean headsAreDue = !held.isEmpty() && held.nanosUntilDue(now) <= 0;
        List<Entry> heads = headsAreDue ? held.heads(max) : List.of();
        // Large enough before anything is taken out.
        List<Entry> batch = new ArrayList<>(Math.min(max, heads.size() + fresh.size()));
        batch.addAll(heads);
        try {
            takeFresh(batch, max);
        } catch (Throwable e) {
            for (int i = batch.size() - 1; i >= heads.size(); i--) {
                fresh.addFirst(batch.get(i));
            }
            throw e;
        }
        return batch;
    }

    private void takeFresh(List<Entry> batch, int max) {
        Entry entry = fresh.first();
        while (entry != null && batch.size() < max) {
            @Nullable EntryQueue behind = held.isEmpty() ? null : held.ofOrder(entry);
            if (behind == null) {
                EntryQueue.leave(entry);
                batch.add(entry);
            } else {
                behind.addLast(entry);
            }
            entry = fresh.first();
        }
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

    /** The inbox failed at an entry, while others of its batch may not have been tried. */
    void tried(Entry entry) {
        held.tried(entry);
    }

    /** An entry that was taken is settled. */
    void settled(Entry entry) {
        @Nullable EntryQueue free = held.settled(entry);
        EntryQueue.leave(entry);
        if (free != null) {
            fresh.addFirst(free);
        }
    }

    /** Whether nothing waits but behind what was busy. */
    boolean hasNothingNew() {
        return fresh.isEmpty();
    }

    /** Whether such an entry waits, and not for one that was busy. */
    boolean hasNew(Predicate<Entry> which) {
        return fresh.anyMatch(which);
    }

    /** One that was busy and is handed in again later, and is such an entry or keeps one waiting; null where there is none. */
    @Nullable
    Entry busy(Predicate<Entry> which) {
        return held.headBefore(which);
    }

    /** Removes the entries that match. */
    void removeIf(Predicate<Entry> gone) {
        fresh.removeIf(gone);
        held.removeIf(gone);
    }
}
