package io.pigeonhole.sqs;

import io.pigeonhole.sqs.Received.Delivery;
import io.pigeonhole.sqs.Undeleted.Entry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes from the queue what is settled, up to ten messages in a call, on threads that run {@link #run}. No deletion is ever
 * needed for correctness: what is not deleted is delivered again and settles as a duplicate. So one that fails is tried again, after
 * pauses in which no thread is kept, only while the message is still hidden from others: for so long SQS holds back its group on FIFO
 * queues. One that SQS itself fails remains a problem until a deletion succeeds. Safe for use by many threads.
 */
final class Acknowledgements implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Acknowledgements.class);
    /** Some ten megabytes of receipts. */
    private static final int MOST_WAITING = 20_000;

    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration PAUSE_AFTER_ERROR = Duration.ofMillis(250);
    /** A call takes ten seconds at most. */
    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

    private final String name;
    private final SqsQueue queue;
    private final CallFailures callFailures;
    private final Undeleted undeleted;
    private final LongSupplier clock;
    private volatile long lastSign;
    private volatile boolean closed;
    private volatile boolean givenUp;

    Acknowledgements(String name, SqsQueue queue, CallFailures callFailures, LongSupplier clock) {
        this.name = name;
        this.queue = queue;
        this.callFailures = callFailures;
        this.clock = clock;
        this.undeleted = new Undeleted(MOST_WAITING, clock);
        this.lastSign = clock.getAsLong();
    }

    /** Whether no thread has come by for so long that all of them must have ended, or hang. */
    boolean isSilent() {
        return clock.getAsLong() - lastSign > LONGEST_SILENCE.toNanos();
    }

    /** Notes a message that is settled. */
    void add(Delivery delivery) {
        undeleted.add(delivery);
    }

    /** How many settled messages are not deleted yet. */
    int size() {
        return undeleted.size();
    }

    /** How many of them only want a thread, and do not wait for another try. */
    int untried() {
        return undeleted.untried();
    }

    /** Makes {@link #run} return when all is deleted, or comes again. */
    void close() {
        closed = true;
        undeleted.hurry();
    }

    /** Makes {@link #run} return soon. */
    void giveUp() {
        givenUp = true;
    }

    @Override
    public void run() {
        boolean goesOn = true;
        while (goesOn && !givenUp) {
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
        List<Entry> batch = undeleted.take(TICK);
        if (undeleted.isOverflowToBeReported()) {
            log.warn(
                    "{}: deletions fail, and {} settled messages wait for another try; older ones are given up:"
                            + " they come again, as duplicates",
                    name,
                    MOST_WAITING);
        }
        if (!batch.isEmpty()) {
            BatchResult result = delete(batch);
            // The call is noted by now, whatever becomes of the report.
            if (result != null) {
                report(result);
            }
            return true;
        }
        if (!undeleted.isEmpty()) {
            return true;
        }
        // What could not be deleted comes again, to whomever, and shows then whether deletions work.
        callFailures.isPointlessForNow();
        return !closed;
    }

    /** Where even that cannot be noted, it is noted later: what is forgotten stays hidden, and holds up its group. */
    private void failed(List<Entry> batch, Throwable why) {
        boolean noted = false;
        while (!noted && !givenUp) {
            try {
                undeleted.callFailedFor(batch);
                noted = true;
            } catch (Throwable e) {
                survive(e);
            }
        }
        callFailures.is(why);
    }

    private void survive(Throwable e) {
        try {
            callFailures.is(e);
        } catch (Throwable again) {
            // Most likely the memory is used up, and nothing can be said.
        }
        LockSupport.parkNanos(PAUSE_AFTER_ERROR.toNanos());
    }

    /** What SQS answered; null if the call failed. */
    private @Nullable BatchResult delete(List<Entry> batch) {
        try {
            BatchResult result =
                    queue.delete(batch.stream().map(Entry::delivery).toList());
            List<Delivery> unanswered = result.unanswered();
            undeleted.failedFor(batch.stream()
                    .filter(entry -> unanswered.contains(entry.delivery()))
                    .toList());
            return result;
        } catch (Throwable e) {
            failed(batch, e);
            return null;
        } finally {
            undeleted.putDown();
        }
    }

    /** What is lost by the clock here, too, somebody else has by now: that says nothing about deletions. */
    private void report(BatchResult result) {
        boolean some = !result.done().isEmpty();
        boolean lost = !result.lost().stream().allMatch(Delivery::isStale);
        if (!result.unanswered().isEmpty() || (lost && !some)) {
            callFailures.is(result.failure());
        } else if (some) {
            callFailures.isOver();
        }
    }
}
