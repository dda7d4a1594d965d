package io.pigeonhole.core.delivery;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.store.StoreRefusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One delivery thread: takes what waits, hands it to the inbox as a batch, and again until each message is settled or withdrawn. Its
 * thread runs {@link #run}; all other methods may be called by any thread and do not wait for the database, except
 * {@link #awaitIdle}, which waits for as long as its caller says.
 *
 * <p>A batch is <em>in hand</em> from the moment it is taken until all of it is settled or held; it is <em>in work</em> only
 * while the inbox has it. What is in hand but not in work, because the database is away, can be withdrawn at once.
 *
 * <p>One long class, because one lock guards all of its state: what is in hand, whose turn it is, and why it waits.
 */
final class DeliveryThread implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(DeliveryThread.class);
    private static final Outcome FAILED = new Outcome.Busy("the inbox failed at it");
    private static final Outcome BEHIND = new Outcome.Busy("the inbox failed at one before it");
    private static final int MOST_FAILURES = 3;
    /** How many threads may hang in handlers and be replaced; each keeps its batch. */
    private static final int MOST_REPLACED = 16;

    /** A batch of many messages may take a while; one that is in work for longer does not end as usual. */
    private static final Duration LONG_BATCH = Duration.ofMinutes(5);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final String name;
    private final BatchProcessor inbox;
    private final int maxBatch;
    private final Load load;
    private final LongSupplier clock;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final DeliveryThreadQueue queue = new DeliveryThreadQueue();
    private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    /** Whose turn it is. Another one that comes back from a handler that hung has nothing to say any more. */
    private Thread thread;

    private int replaced;
    private int hanging;
    private boolean spent;
    private List<Entry> inHand = List.of();
    private int unfinished;
    private boolean inWork;
    /** The same, but for what is said of the outcomes afterwards. */
    private volatile boolean inInbox;

    private volatile long inInboxSince;

    private boolean closed;
    private long resumeAt;
    private boolean stalled;
    private boolean oneByOne;
    private boolean warned;
    /** Why nothing could be committed at the last try; null where something could. */
    private volatile @Nullable RetryableException waitsFor;

    private volatile boolean ended;

    /** With a clock of nanoseconds that says for how long a batch is in work. */
    DeliveryThread(String name, BatchProcessor inbox, int maxBatch, Load load, LongSupplier clock) {
        this.clock = clock;
        this.name = name;
        this.inbox = inbox;
        this.maxBatch = maxBatch;
        this.load = load;
        this.thread = daemon(name);
    }

    private Thread daemon(String name) {
        Thread daemon = new Thread(this, name);
        daemon.setDaemon(true);
        return daemon;
    }

    void start() {
        thread().start();
    }

    /** The thread that runs now, or is to. */
    Thread thread() {
        lock.lock();
        try {
            return thread;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Goes on with another thread where this one hangs in a handler: it is handed the same messages, and the inbox knows at which the
     * other hangs. With too many that hang, it is left as it is, and the answer is false.
     */
    boolean replace(Thread hangs) {
        lock.lock();
        try {
            if (thread != hangs || !inInbox || closed) {
                return true;
            }
            if (hanging == MOST_REPLACED) {
                if (spent) {
                    return false;
                }
                spent = true;
                log.error(
                        "{}: the handler hangs, and so do {} that other threads have taken the place of; what waits for it here"
                                + " waits until one returns, or for a new process. Give the calls that handlers make a timeout",
                        hangs.getName(),
                        hanging);
                return false;
            }
            Thread next = daemon(name + "-" + (replaced + 1));
            next.start();
            thread = next;
            replaced++;
            hanging++;
            // If the database is away, the next to ask it finds that out.
            waitsFor = null;
            stalled = false;
            inWork = false;
            inInbox = false;
            keepWhatStays();
            changed.signalAll();
            log.error(
                    "{}: the handler hangs, no interrupt ends it; {} takes its place. Give the call that it makes a timeout",
                    hangs.getName(),
                    next.getName());
            return true;
        } finally {
            lock.unlock();
        }
    }

    void add(Entry entry) {
        lock.lock();
        try {
            load.add(entry);
            unfinished++;
            queue.add(entry);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the delivery thread waits for the database. */
    boolean isWaiting() {
        return waitsFor() != null;
    }

    /** Why it waits; null where it does not. */
    @Nullable
    RetryableException waitsFor() {
        // The database has answered, and what is in the inbox for so long is a handler.
        return inInbox && clock.getAsLong() - inInboxSince > LONGEST_PAUSE.toNanos() ? null : waitsFor;
    }

    /** Why what it has waits until there is a new process; or null. */
    @Nullable
    Throwable failure() {
        lock.lock();
        try {
            return spent
                    ? new PigeonholeException(
                            (hanging + 1) + " threads of '" + name + "' hang in handlers, which no interrupt ends, and "
                                    + unfinished
                                    + " messages wait for them. Give the calls of these handlers timeouts, then start a new process",
                            null)
                    : null;
        } finally {
            lock.unlock();
        }
    }

    /** How much waits for it, for whoever chooses a thread: one that takes nothing any more is chosen last. */
    int load() {
        lock.lock();
        try {
            return spent ? Integer.MAX_VALUE : unfinished;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it has nothing to do but to try again what was busy. */
    boolean isIdle() {
        lock.lock();
        try {
            return inHand.isEmpty() && queue.hasNothingNew();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether such messages may come to their end as usual: they are in a batch that began not very long ago, or wait behind it. What is
     * busy comes back sooner.
     */
    boolean isAtWork(Predicate<Entry> which) {
        lock.lock();
        try {
            long inInboxFor = clock.getAsLong() - inInboxSince;
            boolean mayBeBusy = inInboxFor <= LONGEST_PAUSE.toNanos() && queue.busy(which) != null;
            boolean isConcerned = queue.hasNew(which) || inHand.stream().anyMatch(which);
            return inInbox && isConcerned && !mayBeBusy && inInboxFor < LONG_BATCH.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** What keeps such messages from being finished, in a few words; null where it has none. */
    @Nullable
    String standsAt(Predicate<Entry> which) {
        lock.lock();
        try {
            long inInboxFor = clock.getAsLong() - inInboxSince;
            // What is held waits, however long another batch is in work; but what is in work for long comes first.
            Entry busy = queue.busy(which);
            Entry atWork = inHand.stream().filter(which).findFirst().orElse(null);
            if (atWork == null && !inHand.isEmpty() && queue.hasNew(which)) {
                atWork = inHand.get(0);
            }
            boolean isInWorkForLong = inInbox && inInboxFor > LONGEST_PAUSE.toNanos();
            if (busy != null && (atWork == null || !isInWorkForLong)) {
                return "busy: " + busy.message();
            }
            return atWork == null
                    ? null
                    : "in work in '" + thread.getName() + "': " + atWork.message()
                            + (inHand.size() > 1 ? " and " + (inHand.size() - 1) + " more of its batch" : "");
        } finally {
            lock.unlock();
        }
    }

    /** Takes back what is not in work. The group must be marked as withdrawn before. */
    void removeWithdrawn() {
        lock.lock();
        try {
            queue.removeIf(this::leaves);
            if (!inWork) {
                keepWhatStays();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Of what is in hand, under the lock. Where some of it goes, its group has been marked, but what waits here may not have been taken
     * back yet: it goes as well, or it would overtake what has gone.
     */
    private void keepWhatStays() {
        List<Entry> staying = inHand.stream().filter(entry -> !leaves(entry)).toList();
        if (staying.size() < inHand.size()) {
            queue.removeIf(this::leaves);
        }
        inHand = staying;
    }

    private boolean leaves(Entry entry) {
        boolean withdrawn = entry.group().isWithdrawn();
        if (withdrawn) {
            countOff(entry);
        }
        return withdrawn;
    }

    private void countOff(Entry entry) {
        if (load.remove(entry)) {
            unfinished--;
        }
    }

    /** Waits until nothing of a withdrawn group is in work; false if it still is when the time is over. */
    boolean awaitIdle(DeliveryGroup group, long deadline) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (inWork && inHand.stream().anyMatch(entry -> entry.group() == group)) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || changed.awaitNanos(left) <= 0) {
                    return false;
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Makes {@link #run} return after the batch in work. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Says that an interrupt is on its way, which ends the thread: what its handler does then is no failure. */
    void giveUp() {
        ended = true;
    }

    @Override
    public void run() {
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = awaitTurn();
                if (goesOn) {
                    turn();
                }
            } catch (Throwable e) {
                survive(e);
            }
        }
        returned();
    }

    /** One that hung and was replaced has come back. */
    private void returned() {
        lock.lock();
        try {
            if (isReplaced()) {
                hanging--;
                spent = false;
                log.info("{}: a handler that hung has returned, {} still hang", name, hanging);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock. */
    private boolean isReplaced() {
        return thread != Thread.currentThread();
    }

    /** No message is ever skipped, and nothing ends this thread but close(): not even what fails in here. */
    private void survive(Throwable e) {
        try {
            RetryableException forTheDatabase = e instanceof RetryableException retryable ? retryable : null;
            if (!handInAgain(forTheDatabase)) {
                log.debug("{}: whatever the handler that hung has done, it was not committed", name, e);
            } else if (forTheDatabase != null) {
                // The inbox has said that it is paused.
                boolean warns = !warned && !StoreRefusal.isPause(e);
                warned |= warns;
                log.atLevel(warns ? Level.WARN : Level.DEBUG)
                        .setCause(FailureText.readable(e))
                        .log("{}: nothing could be committed, handing the same messages in until it can", name);
            } else {
                logDefect(e);
            }
        } catch (Throwable again) {
            // Most likely the memory is used up, and what holds it has to end first.
            LockSupport.parkNanos(FIRST_PAUSE.toNanos());
        }
    }

    /** Whoever reads this has a defect to report, and time to mend it. */
    private void logDefect(Throwable e) {
        log.error(
                "{}: the inbox failed, handing the same messages in again; this is a defect",
                name,
                FailureText.readable(e));
    }

    /** Waits until there is something to do and it is time for it; false when closed. */
    private boolean awaitTurn() {
        lock.lock();
        try {
            while (!closed && !isReplaced()) {
                long now = System.nanoTime();
                if (inHand.isEmpty()) {
                    inHand = queue.take(maxBatch, now);
                }
                long pause;
                if (stalled) {
                    pause = resumeAt - now;
                } else {
                    pause = inHand.isEmpty() ? queue.nanosUntilNext(now) : 0;
                }
                if (pause <= 0) {
                    return true;
                }
                try {
                    changed.await(pause, TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    log.debug("{}: somebody interrupted the delivery thread; only close() ends it", name, e);
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void turn() {
        if (stalled) {
            inbox.probe();
        }
        List<Entry> batch = begin();
        List<Outcome> outcomes = batch.isEmpty() ? List.of() : oneByOne ? oneByOne(batch) : together(batch);
        if (outcomes.size() != batch.size()) {
            throw new IllegalStateException(batch.size() + " messages, but " + outcomes.size() + " outcomes");
        }
        end(batch, outcomes);
    }

    private List<Outcome> together(List<Entry> batch) {
        requireTurn();
        return inbox.process(batch.stream().map(Entry::message).toList(), () -> ended);
    }

    private void requireTurn() {
        lock.lock();
        try {
            if (isReplaced()) {
                throw new ReplacedException();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Another thread has what this one had. */
    private static final class ReplacedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * After the inbox failed at a batch, each message alone: the one that it fails at is held, with those of its order
     * behind it, and the others go on.
     */
    private List<Outcome> oneByOne(List<Entry> batch) {
        List<Outcome> outcomes = new ArrayList<>(batch.size());
        Set<Object> heldBack = new HashSet<>();
        int failures = 0;
        for (Entry entry : batch) {
            // So many without one that succeeds: it is none of them, and the others can be tried later as well.
            boolean tried = failures < MOST_FAILURES && !heldBack.contains(entry.order());
            Outcome outcome = tried ? alone(entry) : BEHIND;
            outcomes.add(outcome);
            if (!outcome.settled()) {
                heldBack.add(entry.order());
            }
            if (tried) {
                failures = outcome.equals(FAILED) ? failures + 1 : 0;
            }
        }
        return outcomes;
    }

    private Outcome alone(Entry entry) {
        try {
            return together(List.of(entry)).get(0);
        } catch (RetryableException | ReplacedException e) {
            throw e;
        } catch (Throwable e) {
            logDefect(e);
            return FAILED;
        }
    }

    private List<Entry> begin() {
        lock.lock();
        try {
            inWork = !inHand.isEmpty();
            inInboxSince = clock.getAsLong();
            inInbox = inWork;
            return inHand;
        } finally {
            lock.unlock();
        }
    }

    private void end(List<Entry> batch, List<Outcome> outcomes) {
        if (!leaveInbox()) {
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            if (outcomes.get(i).settled() && batch.get(i).isToBeReported()) {
                report(batch.get(i), outcomes.get(i));
            }
        }
        lock.lock();
        try {
            long now = System.nanoTime();
            boolean someLeave = false;
            for (int i = 0; i < batch.size(); i++) {
                Entry entry = batch.get(i);
                if (outcomes.get(i).settled()) {
                    countOff(entry);
                    queue.settled(entry);
                } else if (leaves(entry)) {
                    someLeave = true;
                } else {
                    queue.busy(entry, now);
                }
            }
            if (someLeave) {
                queue.removeIf(this::leaves);
            }
            for (int i = 0; i < batch.size(); i++) {
                if (outcomes.get(i).equals(FAILED)) {
                    queue.tried(batch.get(i));
                }
            }
            inHand = List.of();
            inWork = false;
            if (warned) {
                log.info("{}: the database answers again", name);
            }
            warned = false;
            stalled = false;
            waitsFor = null;
            oneByOne = false;
            backoff.reset();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** From now on nobody replaces this thread; false where somebody has. What it knows of outcomes others find out. */
    private boolean leaveInbox() {
        lock.lock();
        try {
            if (isReplaced()) {
                return false;
            }
            inInbox = false;
            // It hung, and was not replaced.
            spent = false;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void report(Entry entry, Outcome outcome) {
        try {
            entry.settlement().settled(outcome);
        } catch (Throwable e) {
            if (e instanceof OutOfMemoryError full && entry.isToBeReportedAgain()) {
                // It may not have been noted: the message is handed in again, is a duplicate, and is reported once
                // more.
                throw full;
            }
            log.error(
                    "{}: {} is settled, but its acknowledgement failed",
                    name,
                    entry.message(),
                    FailureText.readable(e));
        }
        entry.reported();
    }

    /** False where another thread has done so. */
    private boolean handInAgain(@Nullable RetryableException forTheDatabase) {
        lock.lock();
        try {
            if (isReplaced()) {
                return false;
            }
            inInbox = false;
            spent = false;
            stalled = true;
            inWork = false;
            waitsFor = forTheDatabase;
            oneByOne |= forTheDatabase == null;
            resumeAt = System.nanoTime() + backoff.nextNanos();
            keepWhatStays();
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }
}
