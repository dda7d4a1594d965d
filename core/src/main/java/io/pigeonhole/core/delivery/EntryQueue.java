package io.pigeonhole.core.delivery;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Entries in order, linked by themselves: nothing here needs memory, so that no entry is lost where it is used up. An entry is
 * in one queue at most. Guarded by the thread's lock.
 */
class EntryQueue {
    private @Nullable Entry first;
    private @Nullable Entry last;
    private int size;

    final boolean isEmpty() {
        return first == null;
    }

    final int size() {
        return size;
    }

    final @Nullable Entry first() {
        return first;
    }

    /** Takes an entry in behind all others, out of the queue that it was in. */
    final void addLast(Entry entry) {
        leave(entry);
        link(last, entry, null);
    }

    /** Takes all entries of another queue in before its own, in their order. */
    final void addFirst(EntryQueue others) {
        while (others.last != null) {
            addFirst(others.last);
        }
    }

    /** Takes an entry in before all others, out of the queue that it was in. */
    final void addFirst(Entry entry) {
        leave(entry);
        link(null, entry, first);
    }

    private void link(@Nullable Entry before, Entry entry, @Nullable Entry after) {
        entry.queue = this;
        entry.before = before;
        entry.after = after;
        join(before, entry);
        join(entry, after);
        size++;
    }

    private void join(@Nullable Entry before, @Nullable Entry after) {
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
    }

    /** Takes an entry out of the queue that it is in, if any. */
    static void leave(Entry entry) {
        EntryQueue queue = entry.queue;
        if (queue != null) {
            queue.join(entry.before, entry.after);
            queue.size--;
            entry.queue = null;
            entry.before = null;
            entry.after = null;
        }
    }

    final boolean anyMatch(Predicate<Entry> which) {
        Entry entry = first;
        while (entry != null && !which.test(entry)) {
            entry = entry.after;
        }
        return entry != null;
    }

    final void removeIf(Predicate<Entry> gone) {
        Entry entry = first;
        while (entry != null) {
            Entry after = entry.after;
            if (gone.test(entry)) {
                leave(entry);
            }
            entry = after;
        }
    }
}
