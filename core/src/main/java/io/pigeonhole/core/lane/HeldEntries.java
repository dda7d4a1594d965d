package io.pigeonhole.core.lane;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The messages of a lane that were busy, and behind each those that must not overtake it. Guarded by the lane's lock.
 *
 * <p>Only the head of each ordering key is handed in again: were its successors in the same batch, they could succeed
 * where it is busy once more.
 */
final class HeldEntries {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Map<Object, Deque<Entry>> byOrder = new LinkedHashMap<>();
    private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    private long dueAt;

    boolean isEmpty() {
        return byOrder.isEmpty();
    }

    /** How long until the heads are to be handed in again, 0 or less when they are; asked only when not empty. */
    long nanosUntilDue(long now) {
        return dueAt - now;
    }

    /** Up to so many heads, which stay here until {@link #settled}. */
    List<Entry> heads(int max) {
        List<Entry> heads = new ArrayList<>();
        for (Deque<Entry> waiting : byOrder.values()) {
            if (heads.size() == max) {
                break;
            }
            heads.add(waiting.getFirst());
        }
        return heads;
    }

    /** Puts an entry behind a held one of its ordering key; false where there is none. */
    boolean queuedBehind(Entry entry) {
        Deque<Entry> waiting = byOrder.get(entry.order());
        if (waiting == null) {
            return false;
        }
        waiting.addLast(entry);
        return true;
    }

    /** Keeps an entry that was busy, as a new one or as the head that it was. */
    void busy(Entry entry, long now) {
        if (byOrder.isEmpty()) {
            backoff.reset();
            dueAt = now;
        }
        Object order = entry.order();
        Deque<Entry> waiting = byOrder.remove(order);
        if (waiting == null) {
            waiting = new ArrayDeque<>();
        }
        if (waiting.peekFirst() != entry) {
            waiting.addLast(entry);
        }
        // Put behind all others, so that many busy heads take turns.
        byOrder.put(order, waiting);
        if (dueAt - now <= 0) {
            dueAt = now + backoff.nextNanos();
        }
    }

    /** Lets go of an entry, if it was held; those behind it are free, in their order. */
    List<Entry> settled(Entry entry) {
        if (byOrder.isEmpty()) {
            return List.of();
        }
        Deque<Entry> waiting = byOrder.get(entry.order());
        if (waiting == null || waiting.peekFirst() != entry) {
            return List.of();
        }
        byOrder.remove(entry.order());
        waiting.removeFirst();
        return List.copyOf(waiting);
    }

    /** Lets go of the entries that match, and forgets them. */
    void removeIf(Predicate<Entry> gone) {
        byOrder.values().removeIf(waiting -> {
            waiting.removeIf(gone);
            return waiting.isEmpty();
        });
    }
}
