package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.store.Maintenance;
import io.pigeonhole.core.store.Retention;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.time.BoundedWait;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the store from time to time, on a daemon thread: prepares the coming days, then deletes what is past its time,
 * piece by piece, resting after each for as long as it took. What waits for an archive has a thread of its own. Asks the window
 * guard every day. A run that fails is repeated after a minute at the latest, one of the archive by the next run.
 */
final class Janitor {
    private static final Logger log = LoggerFactory.getLogger(Janitor.class);
    private static final double JITTER = 0.2;
    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final long BETWEEN_LOOKS = Duration.ofMinutes(1).toNanos();

    private static final long DAY = Duration.ofDays(1).toNanos();
    private static final long SHORTEST_REST = Duration.ofMillis(10).toNanos();

    private final Maintenance store;
    private final Retention retention;
    private final Guard guard;
    private final MaintenanceListener listener;
    private final Duration interval;
    private final ArchiveThread archive;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "pigeonhole-janitor");
    private volatile @Nullable Throwable failure;

    Janitor(Maintenance store, Retention retention, Guard guard, MaintenanceListener listener, Duration interval) {
        this.listener = listener;
        this.store = store;
        this.retention = retention;
        this.guard = guard;
        this.interval = interval;
        this.archive = new ArchiveThread(retention, System::nanoTime, log::warn);
    }

    /** Prepares once on the caller's thread; the rest, and regularly from then on, on its own. */
    void start() {
        store.maintain();
        thread.setDaemon(true);
        thread.start();
    }

    /** Why the store could not be maintained at the last try, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    private void run() {
        long guarded = System.nanoTime() - DAY;
        boolean first = true;
        while (closed.getCount() > 0) {
            if (System.nanoTime() - guarded >= DAY) {
                guarded = System.nanoTime();
                guarded();
            }
            // The start has prepared what is coming. What cannot be prepared keeps nothing from being deleted.
            boolean maintained = first || maintained();
            archived();
            boolean done = retired(retention::retireWithoutArchive) && maintained;
            first = false;
            rest(done ? interval : shorter(interval, AFTER_FAILURE));
        }
    }

    private void guarded() {
        try {
            guard.warn();
        } catch (Throwable e) {
            survive(e, "the window could not be compared with what brokers deliver again, trying again tomorrow");
        }
    }

    /** Nothing ends this thread but close(). */
    private static void survive(Throwable e, String what) {
        try {
            log.warn(what, FailureText.readable(e));
        } catch (Throwable again) {
            // Most likely the memory is used up, and nothing can be said.
            return;
        }
    }

    /** Nobody ends this thread by an interrupt. */
    private void rest(Duration pause) {
        try {
            restWatching(shortened(pause));
        } catch (InterruptedException e) {
            survive(e, "somebody interrupted the maintenance of the store; only close() ends it");
        }
    }

    /** Looks now and then whether the archive has come back. */
    private void restWatching(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0 && !isClosedWithin(Math.min(left, BETWEEN_LOOKS))) {
            try {
                archive.warnWhereItHangs();
            } catch (Throwable e) {
                survive(e, "nothing could be said of the archive");
            }
            left = end - System.nanoTime();
        }
    }

    private boolean isClosedWithin(long nanos) throws InterruptedException {
        return closed.await(nanos, TimeUnit.NANOSECONDS);
    }

    private boolean maintained() {
        try {
            store.maintain();
            failure = null;
            return true;
        } catch (Throwable e) {
            failure = e;
            survive(e, "the store could not be maintained, trying again soon");
            return false;
        }
    }

    private void archived() {
        try {
            archive.begin(() -> retired(archive::piece));
        } catch (Throwable e) {
            survive(e, "no thread could be started for the archive of the history, trying again soon");
        }
    }

    private boolean retired(Supplier<Retired> retire) {
        try {
            while (closed.getCount() > 0) {
                long begun = System.nanoTime();
                Retired done = retire.get();
                report(done, System.nanoTime() - begun);
                if (done.days() > 0) {
                    log.info("{} days of ledger or history are dropped", done.days());
                }
                if (!done.more() || rested(System.nanoTime() - begun)) {
                    return true;
                }
            }
            return true;
        } catch (Throwable e) {
            survive(e, "what is past its time could not be deleted, trying again soon");
            return false;
        }
    }

    private void report(Retired done, long nanos) {
        if (done.days() == 0 && done.rows() == 0) {
            return;
        }
        try {
            listener.onRetired(done, nanos);
        } catch (Throwable e) {
            log.warn(
                    "listener {} failed; it changes nothing",
                    listener.getClass().getName(),
                    FailureText.readable(e));
        }
    }

    /** Whether it was closed meanwhile. */
    private boolean rested(long nanos) throws InterruptedException {
        return isClosedWithin(Math.max(nanos, SHORTEST_REST));
    }

    private static long shortened(Duration pause) {
        return (long)
                (pause.toNanos() * (1 - JITTER * ThreadLocalRandom.current().nextDouble()));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    void close() {
        closed.countDown();
        long end = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        if (!BoundedWait.join(thread, CLOSE_TIMEOUT)) {
            log.warn("maintenance of the store still runs after {}; it is left alone", DurationText.of(CLOSE_TIMEOUT));
        }
        if (!archive.hasEnded(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
            log.warn(
                    "the archive of the history has not come back after {}; it is left alone",
                    DurationText.of(CLOSE_TIMEOUT));
        }
    }
}
