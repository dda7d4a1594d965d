package io.pigeonhole.sqs;

import io.pigeonhole.sqs.Received.Delivery;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Settled messages that are not deleted: those whose deletion was not tried, and those that wait for another try. Where SQS fails for
 * a single message, that one waits; where a call fails, its messages wait. Where several calls in a row fail, none is made before a
 * pause is over, and what is new waits with the others. The pauses grow for as long as it fails. Nothing waits for longer than until the message may be given to somebody else, and only so
 * many wait: beyond that the oldest are given up. Safe for use by many threads.
 */
final class Undeleted {
    /** So many calls in a row that fail say that others would: a few do among many that succeed. */
    private static final int FAILURES_OF_ALL = 3;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** One message that is deleted shows that all can be: that is worth asking for more often. */
    private static final Duration LONGEST_PAUSE_OF_CALLS = Duration.ofSeconds(5);

    private final int mostWaiting;
    private final LongSupplier clock;
    private final Deque<Delivery> untried = new ArrayDeque<>();
    private final NavigableSet<Entry> waiting = new TreeSet<>(Entry.BY_DUE);
    /** The same ones. */
    private final NavigableSet<Entry> byAge = new TreeSet<>(Entry.BY_AGE);

    private int takers;
    private long lastNumber;
    /** Calls in a row that have failed. */
    private int failures;

    private long quietUntil;
    private boolean overflows;
    private boolean isOverflowReported;

    /** A message, how often SQS has failed for it, and when it is tried again. */
    record Entry(Delivery delivery, long number, int refusals, long due) {
        private static final Comparator<Entry> BY_AGE = Comparator.comparingLong(Entry::number);
        /** Readings of a clock that may overflow are compared by their difference. */
        private static final Comparator<Entry> BY_DUE =
                ((Comparator<Entry>) (one, other) -> Long.signum(one.due - other.due)).thenComparing(BY_AGE);

        private Entry refusedAndDue(long when) {
            return new Entry(delivery, number, refusals + 1, when);
        }

        private Entry anewAt(long when) {
            return new Entry(delivery, number, 0, when);
        }

        private Entry due(long when) {
            return new Entry(delivery, number, refusals, when);
        }
    }

    Undeleted(int mostWaiting, LongSupplier clock) {
        this.mostWaiting = mostWaiting;
        this.clock = clock;
        this.quietUntil = clock.getAsLong();
    }

    /** A message is settled. */
    synchronized void add(Delivery delivery) {
        if (failures >= FAILURES_OF_ALL) {
            await(entry(delivery));
        } else {
            untried.add(delivery);
            notifyAll();
        }
    }

    /** How many were not tried, and would be, were there a thread. */
    synchronized int untried() {
        return untried.size();
    }

    /** How many are not deleted, but for those in hand. */
    synchronized int size() {
        return untried.size() + waiting.size();
    }

    /** Whether there is none, also not in hand. */
    synchronized boolean isEmpty() {
        return takers == 0 && untried.isEmpty() && waiting.isEmpty();
    }

    /**
     * Up to ten that may be tried now, in hand until {@link #putDown}; waits so long at most for one. Neither new ones nor those that
     * wait keep the others from being tried.
     */
    synchronized List<Entry> take(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        List<Entry> batch = batch();
        for (long left = timeout.toNanos(); batch.isEmpty() && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            batch = batch();
        }
        takers += batch.isEmpty() ? 0 : 1;
        return batch;
    }

    /** What {@link #take} gave is tried. */
    synchronized void putDown() {
        takers--;
    }

    private List<Entry> batch() {
        List<Entry> batch = new ArrayList<>();
        if (clock.getAsLong() - quietUntil >= 0) {
            addDue(batch, SqsQueue.MOST_AT_ONCE / 2);
            while (batch.size() < SqsQueue.MOST_AT_ONCE && !untried.isEmpty()) {
                batch.add(entry(untried.remove()));
            }
            addDue(batch, SqsQueue.MOST_AT_ONCE);
        }
        return batch;
    }

    private void addDue(List<Entry> batch, int most) {
        long now = clock.getAsLong();
        while (batch.size() < most
                && !waiting.isEmpty()
                && now - waiting.first().due() >= 0) {
            Entry entry = waiting.first();
            remove(entry);
            if (!entry.delivery().isStale()) {
                batch.add(entry);
            }
        }
        if (waiting.isEmpty()) {
            overflows = false;
            isOverflowReported = false;
        }
    }

    /** A call succeeded, but for these. */
    synchronized void failedFor(Collection<Entry> refused) {
        long now = clock.getAsLong();
        failures = 0;
        quietUntil = now;
        refused.stream()
                .map(entry -> entry.refusedAndDue(now + pauseAfter(entry.refusals(), LONGEST_PAUSE)))
                .forEach(this::await);
    }

    /** The call for these failed. */
    synchronized void callFailedFor(Collection<Entry> batch) {
        long now = clock.getAsLong();
        // Of threads whose calls fail side by side behind a pause one counts.
        boolean counts = now - quietUntil >= 0;
        failures += counts ? 1 : 0;
        if (failures < FAILURES_OF_ALL) {
            batch.stream().map(entry -> entry.due(now + FIRST_PAUSE.toNanos())).forEach(this::await);
            return;
        }
        if (counts) {
            quietUntil = now + pauseAfter(failures - FAILURES_OF_ALL, LONGEST_PAUSE_OF_CALLS);
        }
        while (!untried.isEmpty()) {
            await(entry(untried.remove()));
        }
        // Behind the others, which are due now.
        batch.stream().map(entry -> entry.due(quietUntil)).forEach(this::await);
    }

    /** Lets all be tried at once, and the pauses begin anew: there will be no time for long ones. */
    synchronized void hurry() {
        failures = 0;
        quietUntil = clock.getAsLong();
        List<Entry> all = List.copyOf(waiting);
        waiting.clear();
        all.stream().map(entry -> entry.anewAt(quietUntil)).forEach(waiting::add);
        byAge.clear();
        byAge.addAll(waiting);
        notifyAll();
    }

    /** Whether messages were given up because too many wait; says so once until none waits any more. */
    synchronized boolean isOverflowToBeReported() {
        boolean report = overflows && !isOverflowReported;
        isOverflowReported = overflows;
        return report;
    }

    private Entry entry(Delivery delivery) {
        return new Entry(delivery, lastNumber++, 0, clock.getAsLong());
    }

    /** What somebody else may be given before it is due is looked at then, and is gone. */
    private void await(Entry entry) {
        long gone = clock.getAsLong() + entry.delivery().untilStale().toNanos();
        Entry inTime = entry.due() - gone > 0 ? entry.due(gone) : entry;
        waiting.add(inTime);
        byAge.add(inTime);
        if (waiting.size() > mostWaiting) {
            remove(byAge.first());
            overflows = true;
        }
    }

    private void remove(Entry entry) {
        waiting.remove(entry);
        byAge.remove(entry);
    }

    private static long pauseAfter(int failures, Duration longest) {
        return Math.min(FIRST_PAUSE.toNanos() << Math.min(failures, 10), longest.toNanos());
    }
}
