package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.FailureText;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits of offsets that have failed in a row. One that fails now and then is sent again; where all of them do for a minute, people
 * have to know: the broker's lag grows, and the next member reads everything since again. Noted by the poll thread, others may ask.
 */
final class CommitFailures {
    private static final Logger log = LoggerFactory.getLogger(CommitFailures.class);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String name;
    private final LongSupplier clock;
    private volatile @Nullable Streak streak;
    private boolean warned;

    private record Streak(long since, Throwable last) {}

    CommitFailures(String name, LongSupplier clock) {
        this.name = name;
        this.clock = clock;
    }

    /** A commit failed. */
    void failed(Throwable why) {
        Streak before = streak;
        streak = new Streak(before == null ? clock.getAsLong() : before.since(), why);
        String problem = problem();
        if (problem != null && !warned) {
            warned = true;
            log.warn("{}: {}", name, problem, FailureText.readable(why));
        }
    }

    /** A commit succeeded, or there is nothing to commit. */
    void areOver() {
        streak = null;
        if (warned) {
            warned = false;
            log.info("{}: offsets are committed again", name);
        }
    }

    /** That commits have failed for long, in a sentence; null where they have not. */
    @Nullable
    String problem() {
        Streak now = streak;
        if (now == null) {
            return null;
        }
        Duration since = Duration.ofNanos(clock.getAsLong() - now.since());
        return since.compareTo(PATIENCE) < 0
                ? null
                : "all commits of offsets have failed for " + since.toSeconds()
                        + " s. Messages go on, and what is not committed"
                        + " is read again after a restart or a rebalance, as duplicates: "
                        + FailureText.describe(now.last());
    }
}
