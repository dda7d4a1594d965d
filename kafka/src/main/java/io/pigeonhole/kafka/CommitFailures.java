package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.FailureText;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits of offsets that have failed in a row, or are not answered. One that fails now and then is sent again; where all of them do
 * for a minute, people have to know: the broker's lag grows, and the next member reads everything since again. They are those of the
 * member: that partitions come and go ends nothing, only a commit that succeeds does. Time in which there is nothing to commit does
 * not count, nor does a time in which the thread does not poll, until it has polled again. Noted by the poll thread, others may ask.
 */
final class CommitFailures {
    private static final Logger log = LoggerFactory.getLogger(CommitFailures.class);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final String name;
    private final LongSupplier clock;
    private volatile @Nullable Streak streak;
    private boolean warned;
    private long polledAt;
    /** The last poll but one. What passed since says nothing about answers: perhaps nobody has polled for them. */
    private volatile long countedTo;

    /**
     * Since the first commit that has not succeeded was sent.
     *
     * @param before nanoseconds that count, up to when there was nothing to commit the last time
     * @param since from when on time counts besides; null while there is nothing to commit
     * @param last null where no commit was refused yet, so that the first one is not answered
     */
    private record Streak(
            long before, @Nullable Long since, @Nullable Throwable last) {
        long age(long now) {
            return since == null ? before : before + Math.max(0, now - since);
        }
    }

    CommitFailures(String name, LongSupplier clock) {
        this.name = name;
        this.clock = clock;
        this.polledAt = clock.getAsLong();
        this.countedTo = polledAt;
    }

    /** The thread has polled. An answer that came while it did not is delivered by this poll, or by the next one. */
    void polled() {
        countedTo = polledAt;
        polledAt = clock.getAsLong();
    }

    /** A commit is sent, or still under way. */
    void sent() {
        counting();
        warnOnce();
    }

    /** A commit failed. */
    void failed(Throwable why) {
        Streak now = counting();
        streak = new Streak(now.before(), now.since(), why);
        warnOnce();
    }

    /** A commit succeeded. */
    void areOver() {
        streak = null;
        if (warned) {
            warned = false;
            log.info("{}: offsets are committed again", name);
        }
    }

    /** There is nothing to commit: that is no success, and no failure either. */
    void nothingToCommit() {
        Streak now = streak;
        if (now != null && now.since() != null) {
            streak = new Streak(now.age(countedTo), null, now.last());
        }
    }

    private Streak counting() {
        Streak now = streak;
        if (now == null || now.since() == null) {
            now = now == null
                    ? new Streak(0, clock.getAsLong(), null)
                    : new Streak(now.before(), clock.getAsLong(), now.last());
            streak = now;
        }
        return now;
    }

    private void warnOnce() {
        String problem = warned ? null : problem();
        if (problem != null) {
            warned = true;
            Streak now = counting();
            log.warn("{}: {}", name, problem, now.last() == null ? null : FailureText.readable(now.last()));
        }
    }

    /** That commits have failed for long, in a sentence; null where they have not, or there is nothing to commit. */
    @Nullable
    String problem() {
        Streak now = streak;
        if (now == null || now.since() == null) {
            return null;
        }
        Duration age = Duration.ofNanos(now.age(countedTo));
        if (age.compareTo(TIMEOUT) < 0) {
            return null;
        }
        String consequence = " for " + age.toSeconds()
                + " s. Messages go on, and what is not committed is read again after a restart or a rebalance, as duplicates";
        return now.last() == null
                ? "a commit of offsets has not been answered" + consequence
                : "all commits of offsets have failed" + consequence + ": " + FailureText.describe(now.last());
    }
}
