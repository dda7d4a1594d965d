package io.pigeonhole.core.delivery;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a delivery thread that were busy, and behind each those that must not overtake it. Guarded by the thread's lock.
 *
 * <p>Only the head of each ordering key is handed in again: were its successors in the same batch, they could succeed
 * where it is busy once more.
 */
final class HeldEntries {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    /** None of them empty. */
    private final Map<Object, OfOrder> byOrder = new HashMap<>();

    private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    private long dueAt;
    private long turns;

    /** Those of one order. */
    private static final class OfOrder extends EntryQueue {
        private final Object order;
        private long turn;

        OfOrder(Object order) {
            this.order = order;
        }

        long turn() {
            return turn;
        }

        Entry head() {
            return Objects.requireNonNull(first());
        }
    }

    boolean isEmpty() {
        return byOrder.isEmpty();
    }

    /** How long until the heads are to be handed in again, 0 or less when they are; asked only when not empty. */
    long nanosUntilDue(long now) {
        return dueAt - now;
    }

    /** Up to so many heads, which stay here until {@link #settled}: those first that were not busy for longest. */
    List<Entry> heads(int max) {
        return byOrder.values().stream()
                .sorted(Comparator.comparingLong(OfOrder::turn))
                .limit(max)
                .map(OfOrder::head)
                .toList();
    }

    /** A head that is such an entry, or that one waits behind; null where there is none. */
    @Nullable
    Entry headBefore(Predicate<Entry> which) {
        return byOrder.values().stream()
                .filter(waiting -> waiting.anyMatch(which))
                .findFirst()
                .map(OfOrder::head)
                .orElse(null);
    }

    /** Behind whom an entry has to wait; null where it need not. */
    @Nullable
    EntryQueue ofOrder(Entry entry) {
        return byOrder.get(entry.order());
    }

    /** Keeps an entry that was busy, as a new one or where it was; it may be reported again where the memory was used up. */
    void busy(Entry entry, long now) {
        boolean isFirst = byOrder.isEmpty();
        OfOrder waiting = waiting(entry.order());
        if (entry.queue != waiting) {
            waiting.addLast(entry);
        }
        // Behind all others, so that many busy heads take turns.
        waiting.turn = ++turns;
        if (isFirst) {
            backoff.reset();
            dueAt = now;
        }
        if (dueAt - now <= 0) {
            dueAt = now + backoff.nextNanos();
        }
    }

    /** Behind all others, because it was tried: whoever was not comes first the next time. */
    void tried(Entry entry) {
        if (entry.queue instanceof OfOrder waiting) {
            waiting.turn = ++turns;
        }
    }

    private OfOrder waiting(Object order) {
        OfOrder before = byOrder.get(order);
        if (before != null) {
            return before;
        }
        OfOrder made = new OfOrder(order);
        try {
            byOrder.put(order, made);
        } catch (Throwable e) {
            // The map may have taken it in before it failed to grow.
            byOrder.remove(order);
            throw e;
        }
        return made;
    }

    /** Lets go of an entry, if it was the head of its order; gives those behind it, which are free, in their order. */
    @Nullable
    EntryQueue settled(Entry entry) {
        if (!(entry.queue instanceof OfOrder waiting) || waiting.first() != entry) {
            return null;
        }
        byOrder.remove(waiting.order);
        EntryQueue.leave(entry);
        return waiting;
    }

    /** Lets go of the entries that match, and removes them. */
    void removeIf(Predicate<Entry> gone) {
        byOrder.values().removeIf(waiting -> {
            waiting.removeIf(gone);
            return waiting.isEmpty();
        });
    }
}
