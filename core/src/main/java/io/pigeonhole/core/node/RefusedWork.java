package io.pigeonhole.core.node;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which work may begin after the database has refused to commit some, such as with a full disk. Of a consumer whose work was
 * refused, one piece at a time is tried until it commits, after pauses that grow; other consumers go on. Where two consumers were
 * refused and nothing was committed in between, the same holds for all work of the node. Safe for use by many threads.
 */
final class RefusedWork {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    /** Between two warnings of refusals that come and go. */
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    /** Between two warnings of one that stays. */
    private static final Duration WARN_AGAIN = Duration.ofMinutes(10);
    /** Of one consumer, the reason may be its own. */
    private static final int CONSUMERS_FOR_ALL = 2;

    private final LongSupplier clock;
    /** What was refused since it was committed last; it is paused by itself, too. */
    private final Map<WorkSlot, Pause> refused = new HashMap<>();
    /** What was refused since it was committed last, not alone: the database did not commit. */
    private final Set<WorkSlot> notCommitted = new HashSet<>();
    /** Consumers of which work was refused since they committed some. */
    private final Map<Short, Trials> ofConsumers = new HashMap<>();
    /** Of all work; null while other consumers go on. */
    private @Nullable Trials ofAll;
    /** Consumers of which work was refused since any was committed. */
    private final Set<Short> refusedInARow = new HashSet<>();
    /** Consumers that had something due at the last look. */
    private Set<Short> dueConsumers = Set.of();
    /** Numbers of the last trial or refusal of each consumer and slot, for taking turns; gone when it commits. */
    private final Map<Object, Long> turns = new HashMap<>();

    private long turn;

    private final Warnings ofRefusals = new Warnings();
    private final Warnings ofSlots = new Warnings();
    private final Warnings ofNoConnection = new Warnings();

    /** When to warn of one reason: each of them says something else of the database. */
    private static final class Warnings {
        private boolean hasWarned;
        private boolean sinceItCommitted;
        private long at;

        boolean isTime(long now) {
            Duration pause = sinceItCommitted ? WARN_AGAIN : BETWEEN_WARNINGS;
            if (hasWarned && now - at < pause.toNanos()) {
                return false;
            }
            hasWarned = true;
            sinceItCommitted = true;
            at = now;
            return true;
        }

        /** Work was committed; answers whether there was a warning before. */
        boolean end() {
            boolean warned = sinceItCommitted;
            sinceItCommitted = false;
            return warned;
        }
    }

    /** After a pause of this length, which ends then, the next one is twice as long. */
    private record Pause(long nanos, long end) {
        static Pause after(@Nullable Pause before, long now) {
            long nanos = before == null
                    ? FIRST_PAUSE.toNanos()
                    : Math.min(LONGEST_PAUSE.toNanos(), Math.max(FIRST_PAUSE.toNanos(), before.nanos() * 2));
            return new Pause(nanos, now + nanos);
        }

        /** Of the same length, but with another end. */
        Pause endingAt(long newEnd) {
            return new Pause(nanos, newEnd);
        }

        boolean isOver(long now) {
            return now - end >= 0;
        }
    }

    /** One piece of work at a time. */
    private static final class Trials {
        private Pause pause;
        /** The only work that may begin. */
        private @Nullable WorkSlot trial;

        Trials(long now) {
            pause = Pause.after(null, now);
        }

        void refuse(long now) {
            pause = Pause.after(pause, now);
            trial = null;
        }

        /** Another is to be tried soon. */
        void nothing(long now) {
            trial = null;
            pause = pause.endingAt(now + FIRST_PAUSE.toNanos());
        }

        /** One that takes long, such as a call of an external handler, keeps no other from being tried. */
        void begin(WorkSlot slot, long now) {
            trial = slot;
            pause = pause.endingAt(now + LONGEST_PAUSE.toNanos());
        }

        /** Where the pause is over, nothing could be chosen, as threads are working on all that is due. */
        Duration nextIn(long now) {
            return pause.isOver(now) ? FIRST_PAUSE : Duration.ofNanos(pause.end() - now);
        }
    }

    /**
     * With a clock.
     *
     * @param clock nanoseconds
     */
    RefusedWork(LongSupplier clock) {
        this.clock = clock;
    }

    /** Whether the database refused the last work of all consumers that have some, or of two of them. */
    synchronized boolean isAll() {
        return ofAll != null || (!refusedInARow.isEmpty() && refusedInARow.containsAll(dueConsumers));
    }

    /** What was refused so often in a row that its pause is the longest. */
    synchronized Set<WorkSlot> refusedForLong() {
        return refused.entrySet().stream()
                .filter(each -> each.getValue().nanos() >= LONGEST_PAUSE.toNanos())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** The database refused to commit work; answers whether to warn of it. */
    synchronized boolean refuse(WorkSlot slot) {
        long now = clock.getAsLong();
        refused.put(slot, Pause.after(refused.get(slot), now));
        notCommitted.add(slot);
        // Threads that began before the first refusal are refused at the same time: that makes no pause longer.
        boolean isTrial = isTrial(slot);
        Trials own = ofConsumers.get(slot.consumer());
        if (own == null) {
            ofConsumers.put(slot.consumer(), new Trials(now));
        } else if (isTrial) {
            own.refuse(now);
        }
        refusedInARow.add(slot.consumer());
        if (ofAll != null && isTrial) {
            ofAll.refuse(now);
        } else if (ofAll == null && refusedInARow.size() >= CONSUMERS_FOR_ALL) {
            ofAll = new Trials(now);
        }
        takeTurn(slot);
        return ofRefusals.isTime(now);
    }

    /**
     * The database answers, but refuses the work of this slot, as with a damaged row: it is paused by itself, and says nothing about other
     * work. Where nothing else of its consumer waits for a commit, whatever that was refused for is over. Answers whether to warn of it.
     */
    synchronized boolean refuseAlone(WorkSlot slot) {
        nothing(slot);
        long now = clock.getAsLong();
        notCommitted.remove(slot);
        if (notCommitted.stream().noneMatch(each -> each.consumer() == slot.consumer())) {
            ofConsumers.remove(slot.consumer());
            refusedInARow.remove(slot.consumer());
            if (refusedInARow.isEmpty()) {
                ofAll = null;
            }
        }
        refused.put(slot, Pause.after(refused.get(slot), now));
        return ofSlots.isTime(now);
    }

    /** The trials that a piece of work is subject to; null where it is free to begin. */
    private @Nullable Trials trialsOf(WorkSlot slot) {
        return ofAll != null ? ofAll : ofConsumers.get(slot.consumer());
    }

    /** Whether its consumer's other work waits for this to commit. */
    synchronized boolean holdsBack(WorkSlot slot) {
        return trialsOf(slot) != null;
    }

    private boolean isTrial(WorkSlot slot) {
        Trials trials = trialsOf(slot);
        return trials != null && slot.equals(trials.trial);
    }

    private void takeTurn(WorkSlot slot) {
        turn++;
        turns.put(slot, turn);
        turns.put(slot.consumer(), turn);
    }

    /** The database could not be reached for work, which says nothing of what it commits; answers whether to warn of it. */
    synchronized boolean notReached(WorkSlot slot) {
        nothing(slot);
        return ofNoConnection.isTime(clock.getAsLong());
    }

    /** Work was committed: all other consumers may go on. Answers whether that ends refusals that were warned of. */
    synchronized boolean commit(WorkSlot slot) {
        notCommitted.remove(slot);
        if (refused.remove(slot) != null) {
            ofSlots.end();
        }
        ofConsumers.remove(slot.consumer());
        turns.remove(slot);
        turns.remove(slot.consumer());
        return end();
    }

    private boolean end() {
        refusedInARow.clear();
        ofAll = null;
        if (!ofConsumers.isEmpty()) {
            return false; // Other consumers' work is still refused.
        }
        boolean refusalsWarned = ofRefusals.end();
        return ofNoConnection.end() || refusalsWarned;
    }

    /** There was nothing to commit, which says nothing about the database: other work is to be tried. */
    synchronized void nothing(WorkSlot slot) {
        Trials trials = trialsOf(slot);
        if (trials != null && slot.equals(trials.trial)) {
            trials.nothing(clock.getAsLong());
        }
    }

    /** Whether work may begin now; what may not is asked for again, as {@link #nextIn} says. */
    synchronized boolean mayBegin(WorkSlot slot) {
        return trialsOf(slot) == null ? isPauseOver(slot, clock.getAsLong()) : isTrial(slot);
    }

    /**
     * Chooses, of all that is due, what is to be tried while the database refuses; nothing is chosen while work commits.
     *
     * @param due what is due, and would be worked on
     * @param taken what a thread is working on already
     */
    synchronized void choose(Collection<WorkSlot> due, Predicate<WorkSlot> taken) {
        long now = clock.getAsLong();
        dueConsumers = due.stream().map(WorkSlot::consumer).collect(Collectors.toSet());
        removeWhatIsDone(now, due, taken);
        Predicate<WorkSlot> possible = slot -> isPauseOver(slot, now) && !taken.test(slot);
        if (ofAll != null) {
            choose(ofAll, due, possible, now);
        } else {
            ofConsumers.forEach(
                    (consumer, trials) -> choose(trials, due, possible.and(slot -> slot.consumer() == consumer), now));
        }
    }

    /** What is due no more, and not in work here, others have done, or taken away. */
    private void removeWhatIsDone(long now, Collection<WorkSlot> due, Predicate<WorkSlot> taken) {
        Set<Short> open =
                refused.keySet().stream().filter(taken).map(WorkSlot::consumer).collect(Collectors.toSet());
        open.addAll(dueConsumers);
        refused.entrySet().removeIf(each -> each.getValue().isOver(now) && !due.contains(each.getKey()));
        notCommitted.retainAll(refused.keySet());
        ofConsumers.keySet().retainAll(open);
        refusedInARow.retainAll(open);
        if (refusedInARow.isEmpty()) {
            end();
        }
    }

    /** Whose last trial was committed comes first, as does who was not refused; then who was not tried for longest. */
    private void choose(Trials trials, Collection<WorkSlot> due, Predicate<WorkSlot> possible, long now) {
        if (trials.pause.isOver(now)) {
            due.stream()
                    .filter(possible)
                    .min(Comparator.comparing((WorkSlot slot) -> turns.getOrDefault(slot.consumer(), 0L))
                            .thenComparing(slot -> turns.getOrDefault(slot, 0L)))
                    .ifPresent(slot -> {
                        takeTurn(slot);
                        trials.begin(slot, now);
                    });
        }
    }

    private boolean isPauseOver(WorkSlot slot, long now) {
        Pause own = refused.get(slot);
        return own == null || own.isOver(now);
    }

    /** How long until some of what was refused is to be looked for; null where nothing was. */
    synchronized @Nullable Duration nextIn() {
        long now = clock.getAsLong();
        if (ofAll != null) {
            return ofAll.nextIn(now);
        }
        Stream<Duration> trials = ofConsumers.values().stream().map(each -> each.nextIn(now));
        Stream<Duration> pauses = refused.entrySet().stream()
                .filter(each -> !ofConsumers.containsKey(each.getKey().consumer()))
                .map(Map.Entry::getValue)
                .filter(pause -> !pause.isOver(now))
                .map(pause -> Duration.ofNanos(pause.end() - now));
        return Stream.concat(trials, pauses).min(Duration::compareTo).orElse(null);
    }
}
