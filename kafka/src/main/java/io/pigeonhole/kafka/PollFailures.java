package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.FailureText;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What fails at present. It warns at once, and then seldom, however often failures come and go; it remembers the last one until it
 * is over. Safe for use by many threads.
 */
final class PollFailures {
    private static final Logger log = LoggerFactory.getLogger(PollFailures.class);
    /** Between two warnings of failures that come and go. */
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    /** Between two warnings of a failure that stays. */
    private static final Duration WARN_AGAIN = Duration.ofMinutes(10);

    private final String name;
    private final LongSupplier clock;
    private volatile @Nullable Throwable last;
    private boolean hasWarned;
    private boolean warnedSinceItWorked;
    private long warnedAt;
    private long unreported;

    PollFailures(String name, LongSupplier clock) {
        this.name = name;
        this.clock = clock;
    }

    /** Something failed and is tried again; answers whether it warned of it. */
    boolean is(Throwable failure, String whatIsDone) {
        last = failure;
        long unreportedBefore = warnNow();
        log.atLevel(unreportedBefore < 0 ? Level.DEBUG : Level.WARN)
                .setCause(FailureText.readable(failure))
                .log(
                        "{}: {}{}",
                        name,
                        whatIsDone,
                        unreportedBefore <= 0
                                ? ""
                                : "; there were " + unreportedBefore + " failures since the last warning");
        return unreportedBefore >= 0;
    }

    /** How many failures nobody was warned of, where one is to be warned of now; -1 where not. */
    private synchronized long warnNow() {
        Duration pause = warnedSinceItWorked ? WARN_AGAIN : BETWEEN_WARNINGS;
        long now = clock.getAsLong();
        if (hasWarned && now - warnedAt < pause.toNanos()) {
            unreported++;
            return -1;
        }
        hasWarned = true;
        warnedSinceItWorked = true;
        warnedAt = now;
        long before = unreported;
        unreported = 0;
        return before;
    }

    /** It works. */
    void isOver() {
        if (last == null) {
            return;
        }
        last = null;
        boolean warned;
        synchronized (this) {
            warned = warnedSinceItWorked;
            warnedSinceItWorked = false;
        }
        if (warned) {
            log.info("{}: works again", name);
        }
    }

    /** What failed last, in a sentence; null where it is over. */
    @Nullable
    String problem() {
        Throwable failure = last;
        return failure == null ? null : FailureText.describe(failure);
    }
}
