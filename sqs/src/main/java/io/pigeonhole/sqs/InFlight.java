package io.pigeonhole.sqs;

import io.pigeonhole.sqs.Received.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that is received and not settled. Its thread keeps these messages hidden from other receivers, by prolonging
 * their visibility timeout at every third of it, and shows them to others when they are given back. Only this thread changes
 * visibilities of what was taken, so that a late prolongation cannot undo a giving back. Other methods are safe for use by
 * many threads.
 */
final class InFlight implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(InFlight.class);
    private static final long LONGEST_TICK = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final SqsQueue queue;
    private final Duration visibility;
    private final Duration longestHold;
    private final CallFailures callFailures;
    private final Set<Received> taken = ConcurrentHashMap.newKeySet();
    private final Queue<Received> givenBack = new ConcurrentLinkedQueue<>();
    private final Semaphore wake = new Semaphore(0);
    /** What pollers received after the source was closed. */
    private final List<Received> late = new ArrayList<>();

    private int pollers;
    private boolean takesNoMore;
    private volatile boolean closed;

    InFlight(
            String name,
            SqsQueue queue,
            Duration visibility,
            Duration longestHold,
            int pollers,
            CallFailures callFailures) {
        this.pollers = pollers;
        this.name = name;
        this.queue = queue;
        this.visibility = visibility;
        this.longestHold = longestHold;
        this.callFailures = callFailures;
    }

    /** Takes what was received under its care; false where it is too late for that, so that it must not be submitted. */
    synchronized boolean take(Received received) {
        if (takesNoMore) {
            late.add(received);
            return false;
        }
        return taken.add(received);
    }

    /**
     * A poller receives nothing any more. The last one shows to others what was received too late: shown before, another poller
     * of the same source could be given it, and SQS counts what it gives.
     */
    void pollerEnded() {
        List<Received> toShow;
        synchronized (this) {
            pollers--;
            toShow = pollers == 0 ? List.copyOf(late) : List.of();
        }
        toShow.forEach(this::show);
    }

    /** Takes nothing any more, and answers what it has. */
    synchronized List<Received> takeNoMore() {
        takesNoMore = true;
        return List.copyOf(taken);
    }

    /** Lets others have these messages at once. None of them may be in work. */
    void giveBack(Received received) {
        givenBack.add(received);
        wake.release();
    }

    /** Makes {@link #run} return once what was given back before is shown to others. */
    void close() {
        closed = true;
        wake.release();
    }

    @Override
    public void run() {
        long tick = Math.min(LONGEST_TICK, visibility.toNanos() / 12);
        while (!closed) {
            try {
                keepHidden();
                if (wake.tryAcquire(tick, TimeUnit.NANOSECONDS)) {
                    wake.drainPermits();
                }
            } catch (InterruptedException e) {
                log.debug("{}: somebody interrupted the heartbeat; it goes on", name, e);
            } catch (Throwable e) {
                survive(e, tick);
            }
        }
        showGivenBack();
    }

    /** What is not kept hidden comes again, and is a duplicate, or busy. */
    private void survive(Throwable e, long pause) {
        try {
            callFailures.is(e);
        } catch (Throwable again) {
            // Most likely the memory is used up, and nothing can be said.
        }
        LockSupport.parkNanos(pause);
    }

    private void keepHidden() {
        showGivenBack();
        taken.removeIf(Received::isOver);
        if (taken.stream().noneMatch(Received::isHeld)) {
            callFailures.isPointless();
        }
        Map<Integer, List<Due>> due = due();
        for (Map.Entry<Integer, List<Due>> each : due.entrySet()) {
            if (!prolong(each.getValue(), each.getKey())) {
                return;
            }
        }
    }

    /** A message that is to be hidden for longer. */
    private record Due(Received received, Delivery delivery) {}

    /** What is due, whatever it was received with, by the number of seconds that it may be hidden for. */
    private Map<Integer, List<Due>> due() {
        Map<Integer, List<Due>> all = new HashMap<>();
        for (Received received : taken) {
            List<Delivery> due = received.held().stream()
                    .filter(delivery -> delivery.sinceHidden().multipliedBy(3).compareTo(visibility) >= 0)
                    .toList();
            Duration left = longestHold.minus(received.age());
            int seconds = (int) (left.compareTo(visibility) < 0 ? left : visibility).toSeconds();
            if (seconds <= 0) {
                received.letGo(due);
            } else if (!due.isEmpty()) {
                List<Due> together = all.computeIfAbsent(seconds, none -> new ArrayList<>());
                due.forEach(delivery -> together.add(new Due(received, delivery)));
            }
        }
        return all;
    }

    /** Ten in a call. False where SQS cannot be reached. */
    private boolean prolong(List<Due> due, int seconds) {
        // With many, those that others would be given first go first.
        due.sort((one, other) -> one.delivery().compareStaleness(other.delivery()));
        for (int from = 0; from < due.size(); from += SqsQueue.MOST_AT_ONCE) {
            // What is given back or settled while this goes on is not hidden any more.
            showGivenBack();
            List<Due> call = due.subList(from, Math.min(due.size(), from + SqsQueue.MOST_AT_ONCE)).stream()
                    .filter(each ->
                            taken.contains(each.received()) && each.received().holds(each.delivery()))
                    .toList();
            if (!call.isEmpty() && !hide(call, seconds)) {
                return false;
            }
        }
        return true;
    }

    /**
     * False where SQS cannot be reached, so that it makes no sense to go on with others now. An {@link Error} says nothing about
     * that: it may be of one of these messages, so they are hidden one by one.
     */
    private boolean hide(List<Due> due, int seconds) {
        try {
            long from = System.nanoTime();
            BatchResult result = queue.hide(due.stream().map(Due::delivery).toList(), seconds);
            due.forEach(each -> each.received().letGo(result.lost()));
            result.done().forEach(delivery -> delivery.hidden(from, Duration.ofSeconds(seconds)));
            report(result);
            return true;
        } catch (RuntimeException e) {
            callFailures.is(e);
            return false;
        } catch (Throwable e) {
            callFailures.is(e);
            return due.size() == 1 || due.stream().allMatch(each -> hide(List.of(each), seconds));
        }
    }

    /** A message that is lost is somebody else's by now: that says nothing about hiding. */
    private void report(BatchResult result) {
        if (!result.unanswered().isEmpty()) {
            callFailures.is(result.failure());
        } else if (!result.done().isEmpty()) {
            callFailures.isOver();
        }
    }

    private void showGivenBack() {
        for (Received next = givenBack.poll(); next != null; next = givenBack.poll()) {
            taken.remove(next);
            show(next);
        }
    }

    /** Where SQS cannot be reached, they come back when their visibility timeout is over. */
    private void show(Received received) {
        // Of those that have come back by themselves others may have been given.
        List<Delivery> deliveries =
                received.held().stream().filter(delivery -> !delivery.isStale()).toList();
        if (deliveries.isEmpty()) {
            return;
        }
        try {
            BatchResult result = queue.hide(deliveries, 0);
            log.debug(
                    "{}: {} messages given back, {} of them were lost before",
                    name,
                    deliveries.size(),
                    result.lost().size());
            report(result);
        } catch (Throwable e) {
            callFailures.is(e);
        }
    }
}
