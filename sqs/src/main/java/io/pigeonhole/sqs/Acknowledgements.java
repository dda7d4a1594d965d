package io.pigeonhole.sqs;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.sqs.Received.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes from the queue what is settled, up to ten messages in a call, on threads that run {@link #run}. No deletion is ever
 * needed for correctness: what is not deleted is delivered again and settles as a duplicate. So one that fails is tried again
 * only while the message is still hidden from others, and one that SQS itself fails a few times at most; that stays trouble until
 * a deletion succeeds. Safe for use by many threads.
 */
final class Acknowledgements implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Acknowledgements.class);
    private static final long TICK_MILLIS = 100;
    private static final Duration PAUSE = Duration.ofMillis(250);
    private static final int MOST_REFUSALS = 5;
    /** A call takes ten seconds at most. */
    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

    private final String name;
    private final SqsQueue queue;
    private final Trouble trouble;
    private final BlockingQueue<Delivery> settled = new LinkedBlockingQueue<>();
    private final CountDownLatch givenUp = new CountDownLatch(1);
    private final LongSupplier clock;
    private volatile long lastSign;
    /** How many threads have messages in hand. */
    private final AtomicInteger busy = new AtomicInteger();

    private volatile boolean closed;

    Acknowledgements(String name, SqsQueue queue, Trouble trouble, LongSupplier clock) {
        this.name = name;
        this.queue = queue;
        this.trouble = trouble;
        this.clock = clock;
        this.lastSign = clock.getAsLong();
    }

    /** Whether no thread has come by for so long that all of them must have ended, or hang. */
    boolean isSilent() {
        return clock.getAsLong() - lastSign > LONGEST_SILENCE.toNanos();
    }

    /** Notes a message that is settled. */
    void add(Delivery delivery) {
        settled.add(delivery);
    }

    /** How many settled messages are not deleted yet. */
    int size() {
        return settled.size();
    }

    /** Makes {@link #run} return when all is deleted. */
    void close() {
        closed = true;
    }

    /** Makes {@link #run} return soon. */
    void giveUp() {
        givenUp.countDown();
    }

    @Override
    public void run() {
        boolean goesOn = true;
        while (goesOn && givenUp.getCount() > 0) {
            try {
                goesOn = round();
            } catch (InterruptedException e) {
                log.debug("{}: somebody interrupted the deletion of settled messages; it goes on", name, e);
            } catch (Throwable e) {
                survive(e);
            }
        }
    }

    /** False where there is nothing left, and nothing will come. */
    private boolean round() throws InterruptedException {
        lastSign = clock.getAsLong();
        Delivery first = settled.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
        if (first == null) {
            if (busy.get() == 0) {
                // What could not be deleted comes again, to whomever, and shows then whether deletions work.
                trouble.isPointlessForNow();
            }
            return !closed;
        }
        busy.incrementAndGet();
        try {
            List<Delivery> batch = new ArrayList<>(List.of(first));
            settled.drainTo(batch, SqsQueue.MOST_AT_ONCE - 1);
            delete(batch);
        } finally {
            busy.decrementAndGet();
        }
        return true;
    }

    /** What was not deleted comes again, and is a duplicate. */
    private void survive(Throwable e) {
        try {
            log.error("{}: the deletion of settled messages failed, going on", name, FailureText.readable(e));
        } catch (Throwable again) {
            // Most likely the memory is used up, and nothing can be said.
        }
        LockSupport.parkNanos(PAUSE.toNanos());
    }

    private void delete(List<Delivery> batch) throws InterruptedException {
        List<Delivery> left = batch;
        int refusals = 0;
        boolean again = true;
        while (again) {
            lastSign = clock.getAsLong();
            try {
                BatchResult result = queue.delete(left);
                left = result.unanswered();
                refusals++;
                report(result);
            } catch (RuntimeException e) {
                trouble.is(e);
            }
            left = left.stream().filter(delivery -> !delivery.isStale()).toList();
            again = !left.isEmpty()
                    && refusals < MOST_REFUSALS
                    && !givenUp.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** What is lost by the clock here, too, somebody else has by now: that says nothing about deletions. */
    private void report(BatchResult result) {
        boolean some = !result.done().isEmpty();
        boolean lost = !result.lost().stream().allMatch(Delivery::isStale);
        if (!result.unanswered().isEmpty() || (lost && !some)) {
            trouble.is(result.failure());
        } else if (some) {
            trouble.isOver();
        }
    }
}
