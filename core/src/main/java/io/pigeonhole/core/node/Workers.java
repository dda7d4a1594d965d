package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.NoConnectionException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.inbox.NodeInbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreRefusal;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Works on what is due in the database, for all inboxes of a node. One thread asks the store where something is due; others
 * do it, one batch of one work partition at a time, so that work partitions take turns. Asks soon while there is something, and less and less
 * often while there is nothing. An inbox of this node reports what it stores, so that nobody has to ask for it.
 */
final class Workers {
    private static final Logger log = LoggerFactory.getLogger(Workers.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

    private final DueSearch search;
    private final Map<Short, NodeInbox> inboxes = new HashMap<>();
    private final List<RegisteredConsumer> consumers;
    private final Pace pace;
    private final WorkerThreads ordinary;
    private final WorkerThreads byLease;
    private final List<Runnable> hearing = new CopyOnWriteArrayList<>();
    private final Set<WorkSlot> taken = ConcurrentHashMap.newKeySet();
    /** What threads are at. One that hangs is at nothing any more: what it had is given to others. */
    private final Map<Thread, Due> atWork = new ConcurrentHashMap<>();
    /** Found due while somebody was at it, who may have looked before it was. */
    private final Set<WorkSlot> askedAgain = ConcurrentHashMap.newKeySet();

    /** What inboxes of this node have stored since the last breath. */
    private final Set<Due> noticed = ConcurrentHashMap.newKeySet();

    private final RefusedWork refused = new RefusedWork(System::nanoTime);
    private final AtomicBoolean productive = new AtomicBoolean();
    private final Thread thread = new Thread(this::run, "pigeonhole-workers");
    private volatile boolean closed;
    private volatile boolean waiting;
    private volatile @Nullable Throwable lastFailure;
    /** Why the database refused each piece of work last, until it commits some of it. */
    private final Map<WorkSlot, Throwable> refusals = new ConcurrentHashMap<>();

    private volatile boolean ended;

    Workers(Backlog store, List<NodeInbox> inboxes, WorkerSettings settings) {
        inboxes.forEach(inbox -> this.inboxes.put(inbox.registered().id(), inbox));
        this.consumers = inboxes.stream().map(NodeInbox::registered).toList();
        this.search = new DueSearch(store, consumers);
        this.pace = new Pace(settings.longestPause());
        this.ordinary = new WorkerThreads("pigeonhole-worker", Math.max(1, settings.workers()));
        this.byLease = new WorkerThreads("pigeonhole-lease-worker", settings.leaseWorkers());
    }

    void start() {
        if (consumers.isEmpty()) {
            return;
        }
        inboxes.values().forEach(inbox -> hearing.add(inbox.whenWorkIsStored(this::hear)));
        thread.setDaemon(true);
        thread.start();
    }

    /** Whether the database is away, or refuses to commit what is done. */
    boolean isWaiting() {
        return waiting || refused.isAll();
    }

    /** Why they {@linkplain #isWaiting wait}; null where they do not. */
    @Nullable
    String problem() {
        Throwable failure = lastFailure;
        return isWaiting() && failure != null ? StoreRefusal.describe(failure) : null;
    }

    /** Of which work partitions nothing is known or can be committed, though of others; empty where they {@linkplain #isWaiting wait}. */
    List<String> refusedForLong() {
        if (isWaiting()) {
            return List.of();
        }
        Map<Short, List<WorkSlot>> slots = refused.refusedForLong().stream()
                .collect(Collectors.groupingBy(WorkSlot::consumer, TreeMap::new, Collectors.toList()));
        List<String> reasons = new ArrayList<>(search.problems());
        slots.forEach((consumer, ofConsumer) -> {
            NodeInbox inbox = inboxes.get(consumer);
            if (inbox != null) {
                byReason(ofConsumer)
                        .forEach((reason, some) ->
                                reasons.add("consumer '" + inbox.registered().name()
                                        + (areRefused(some) ? "': the database refuses" : "': a defect ends")
                                        + " the work " + places(some) + ": " + reason));
            }
        });
        return reasons;
    }

    /** Of one reason. */
    private boolean areRefused(List<WorkSlot> slots) {
        return slots.stream().anyMatch(slot -> refusals.get(slot) instanceof RetryableException);
    }

    private Map<String, List<WorkSlot>> byReason(List<WorkSlot> slots) {
        Map<String, List<WorkSlot>> byReason = new TreeMap<>();
        for (WorkSlot slot : slots) {
            Throwable failure = refusals.get(slot);
            if (failure != null) {
                byReason.computeIfAbsent(FailureText.describe(reason(failure)), reason -> new ArrayList<>())
                        .add(slot);
            }
        }
        return byReason;
    }

    /** What the database has answered, where that is known. */
    private static Throwable reason(Throwable failure) {
        return failure.getCause() instanceof StoreException answer ? answer : failure;
    }

    private static String places(List<WorkSlot> slots) {
        String partitions = slots.stream()
                .filter(slot -> slot.workPartition() >= 0)
                .map(WorkSlot::workPartition)
                .distinct()
                .sorted()
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
        boolean leases = slots.stream().anyMatch(slot -> slot.workPartition() < 0);
        String ofLeases = leases ? "of leases that have run out" : "";
        return partitions.isEmpty()
                ? ofLeases
                : "in work partition " + partitions + (leases ? ", and that " + ofLeases : "");
    }

    /** Why not all of it can be worked on, until there is a new process; or null. */
    @Nullable
    Throwable failure() {
        Throwable failure = byLease.failure();
        return failure != null ? failure : ordinary.failure();
    }

    private void hear(Set<Due> stored) {
        for (Due due : stored) {
            if (due.in().isZero()) {
                noticed.add(due);
                pace.nudge();
            } else {
                pace.lookIn(due.in());
            }
        }
    }

    private void run() {
        while (!closed) {
            try {
                round();
            } catch (InterruptedException e) {
                log.debug("somebody interrupted the workers; only close() ends them");
            } catch (Throwable e) {
                survive(e);
            }
        }
    }

    private void round() throws InterruptedException {
        if (pace.await() == Pace.Reason.TIME_TO_LOOK) {
            look();
        }
        for (Iterator<Due> next = noticed.iterator(); next.hasNext(); ) {
            Due due = next.next();
            next.remove(); // First, so that what is noticed from now on is dispatched once more.
            dispatch(due);
        }
    }

    /** Nothing ends this thread but close(): what was noticed and is lost here, the next look finds. */
    private static void survive(Throwable e) {
        try {
            log.error("the workers failed, going on", FailureText.readable(e));
        } catch (Throwable again) {
            // Most likely the memory is used up: nothing can be said, and what holds it has to end first.
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    /** Asks the store, which also knows of what other nodes have left and of what has become due. */
    private void look() {
        pace.looked(productive.getAndSet(false));
        inboxes.values().forEach(this::replaceHanging);
        try {
            Map<WorkSlot, Due> dueNow = new LinkedHashMap<>();
            for (Due due : search.due()) {
                if (due.in().isZero()) {
                    dueNow.put(WorkSlot.of(due), due);
                } else {
                    pace.lookIn(due.in());
                }
            }
            refused.choose(dueNow.keySet(), taken::contains);
            lookAgainForRefused();
            dueNow.forEach((slot, due) -> {
                if (refused.mayBegin(slot)) {
                    dispatch(due);
                }
            });
            if (waiting) {
                log.info("the workers' database answers again");
                waiting = false;
            }
        } catch (Throwable e) {
            log.atLevel(waiting ? Level.DEBUG : Level.WARN)
                    .setCause(FailureText.readable(e))
                    .log("the workers cannot ask their database for work; asking again until they can");
            lastFailure = e;
            waiting = true;
        }
    }

    private void lookAgainForRefused() {
        Duration next = refused.nextIn();
        if (next != null) {
            pace.lookIn(next);
        }
    }

    private void replaceHanging(NodeInbox inbox) {
        try {
            inbox.leaseWhatHangs();
            inbox.hangingThreads().forEach((thread, message) -> {
                if (atWork.containsKey(thread)) {
                    replace(thread, inbox.consumer(), message);
                }
            });
        } catch (Throwable e) {
            // No thread could be begun, most likely. The next look tries it again.
            survive(e);
        }
    }

    private void replace(Thread thread, String consumer, Message message) {
        WorkerThreads threads = ordinary.contains(thread) ? ordinary : byLease;
        try {
            threads.hangs(thread, consumer, message);
        } finally {
            Due due = atWork.remove(thread);
            if (due == null) {
                isBack(thread);
            } else {
                taken.remove(WorkSlot.of(due));
            }
        }
    }

    private boolean isBack(Thread thread) {
        return (ordinary.contains(thread) ? ordinary : byLease).isBack(thread);
    }

    /** Gives out what is due, unless it is given out already. */
    private void dispatch(Due due) {
        if (taken.add(WorkSlot.of(due))) {
            submit(due);
        } else {
            askedAgain.add(WorkSlot.of(due));
        }
    }

    private void submit(Due due) {
        try {
            (due.kind() == Backlog.Kind.BY_LEASE ? byLease : ordinary).pool().execute(() -> work(due));
        } catch (RejectedExecutionException e) {
            log.debug("closed before {} could be worked on", due, e);
            taken.remove(WorkSlot.of(due));
        } catch (Throwable e) {
            // No thread could be begun, most likely. The next look finds it again.
            taken.remove(WorkSlot.of(due));
            throw e;
        }
    }

    private void work(Due due) {
        boolean again = false;
        try {
            atWork.put(Thread.currentThread(), due);
            askedAgain.remove(WorkSlot.of(due));
            NodeInbox inbox = inboxes.get(due.consumer().id());
            // What may not begin is found again by a later look.
            again = !closed && inbox != null && refused.mayBegin(WorkSlot.of(due)) && begin(due, inbox);
        } catch (RetryableException e) {
            if (atWork.containsKey(Thread.currentThread())) {
                notCommitted(due, e);
            } else {
                refused.nothing(WorkSlot.of(due));
                log.debug(
                        "consumer '{}': others have the work in work partition {}", name(due), due.workPartition(), e);
            }
        } catch (Throwable e) {
            refusals.put(WorkSlot.of(due), e);
            refused.refuseAlone(WorkSlot.of(due));
            lookAgainForRefused();
            log.error(
                    "consumer '{}': work in work partition {} failed, trying again; this is a defect",
                    name(due),
                    due.workPartition(),
                    FailureText.readable(e));
        } finally {
            boolean wasReplaced = atWork.remove(Thread.currentThread()) == null && isBack(Thread.currentThread());
            if (!wasReplaced) {
                worked(due, again);
            }
        }
    }

    private void notCommitted(Due due, RetryableException failure) {
        if (failure instanceof NoConnectionException) {
            // Whether the database is away shows when it is asked for work.
            boolean warns = refused.notReached(WorkSlot.of(due)) && !waiting;
            log.atLevel(warns ? Level.WARN : Level.DEBUG)
                    .setCause(FailureText.readable(failure))
                    .log(
                            "consumer '{}': no connection for the work in work partition {}, trying again",
                            name(due),
                            due.workPartition());
        } else if (failure instanceof StoreUnavailableException || failure instanceof OutcomeUnknownException) {
            lastFailure = failure;
            refusals.put(WorkSlot.of(due), failure);
            boolean warns = refused.refuse(WorkSlot.of(due)) && !waiting;
            lookAgainForRefused();
            log.atLevel(warns ? Level.WARN : Level.DEBUG)
                    .setCause(FailureText.readable(failure))
                    .log(
                            "consumer '{}': the database did not commit the work in work partition {}; until it commits some of this"
                                    + " consumer, one piece of its work at a time is tried",
                            name(due),
                            due.workPartition());
        } else if (isRefusal(failure)) {
            refusals.put(WorkSlot.of(due), failure);
            boolean warns = refused.refuseAlone(WorkSlot.of(due)) && !waiting;
            lookAgainForRefused();
            log.atLevel(warns ? Level.WARN : Level.DEBUG)
                    .setCause(FailureText.readable(failure))
                    .log(
                            "consumer '{}': the database refused the work in work partition {}, which is tried again until it takes it;"
                                    + " work elsewhere goes on",
                            name(due),
                            due.workPartition());
        } else {
            refused.nothing(WorkSlot.of(due));
            log.atLevel(waiting || StoreRefusal.isPause(failure) ? Level.DEBUG : Level.WARN)
                    .setCause(FailureText.readable(failure))
                    .log(
                            "consumer '{}': nothing could be committed in work partition {}, trying again",
                            name(due),
                            due.workPartition());
        }
    }

    private static boolean isRefusal(RetryableException failure) {
        return failure.getCause() instanceof StoreException refusal
                && refusal.errorClass().isRefusal();
    }

    /** What becomes of a message under a lease, while its thread is still at it. */
    private final class LeaseProgress implements NodeInbox.Progress {
        private final Due due;

        LeaseProgress(Due due) {
            this.due = due;
        }

        @Override
        public void leased() {
            committed(due);
        }

        @Override
        public void refused(RetryableException failure) {
            notCommitted(due, failure);
        }
    }

    /** Works on it; answers whether there may be more. */
    private boolean begin(Due due, NodeInbox inbox) {
        int brought = inbox.work(due, () -> ended, new LeaseProgress(due));
        if (brought == 0) {
            refused.nothing(WorkSlot.of(due));
            return false;
        }
        committed(due);
        productive.set(true);
        return inbox.mayHaveMore(due, brought);
    }

    private void committed(Due due) {
        refusals.remove(WorkSlot.of(due));
        boolean othersWait = refused.holdsBack(WorkSlot.of(due));
        if (refused.commit(WorkSlot.of(due))) {
            log.info("the workers' database commits work again");
        }
        if (othersWait) {
            pace.lookIn(Duration.ZERO);
        }
    }

    private void worked(Due due, boolean again) {
        if (again) {
            submit(due);
            return;
        }
        taken.remove(WorkSlot.of(due));
        if (askedAgain.remove(WorkSlot.of(due))) {
            dispatch(due);
        }
    }

    private static String name(Due due) {
        return due.consumer().name();
    }

    /** Waits for what is in work, within a bounded time; the rest is left for others. */
    void close() {
        closed = true;
        hearing.forEach(Runnable::run);
        pace.nudge();
        ordinary.pool().shutdown();
        byLease.pool().shutdown();
        try {
            if (!BoundedWait.join(thread, CLOSE_TIMEOUT)) {
                log.debug("the workers' thread still waits for the database after {}", CLOSE_TIMEOUT);
            }
            long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
            boolean done = ended(ordinary.pool(), deadline) && ended(byLease.pool(), deadline);
            if (!done) {
                log.warn("workers are still at work after {}; they are interrupted and left alone", CLOSE_TIMEOUT);
                ended = true;
                ordinary.pool().shutdownNow();
                byLease.pool().shutdownNow();
            }
        } finally {
            inboxes.values().forEach(inbox -> inbox.stopLeases(byLease::contains));
        }
    }

    private static boolean ended(ExecutorService threads, long deadline) {
        Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        return BoundedWait.await(left, nanos -> threads.awaitTermination(nanos, TimeUnit.NANOSECONDS));
    }
}
