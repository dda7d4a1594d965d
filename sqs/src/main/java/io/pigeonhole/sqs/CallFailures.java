package io.pigeonhole.sqs;

import io.pigeonhole.core.failure.FailureText;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The errors of one kind of call. It warns of them at once, and then seldom, however often they come and go; it remembers the last
 * one until a call succeeds. A refusal is final at most where no call has ever succeeded: credentials and rights that were good once
 * may be good again. Safe for use by many threads.
 */
final class CallFailures {
    private static final Logger log = LoggerFactory.getLogger(CallFailures.class);
    /** Between two warnings of errors that come and go. */
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    /** Between two warnings of an error that stays. */
    private static final Duration WARN_AGAIN = Duration.ofMinutes(10);

    private final String what;
    private final Consumer<Throwable> whenFinal;
    private final LongSupplier clock;
    private volatile @Nullable Throwable last;
    private volatile boolean hasWorked;
    private boolean hasWarned;
    private volatile boolean warnedSinceItWorked;
    private long warnedAt;
    private long unreported;

    /** Of calls without which the source goes on: no refusal is final. */
    CallFailures(String what, LongSupplier clock) {
        this(what, failure -> {}, clock);
    }

    /** Of calls without which there is nothing to do: informed of a refusal where none of them has ever succeeded. */
    CallFailures(String what, Consumer<Throwable> whenFinal, LongSupplier clock) {
        this.what = what;
        this.whenFinal = whenFinal;
        this.clock = clock;
    }

    /** The call failed; answers whether it warned of it. */
    boolean is(Throwable failure) {
        if (!hasWorked && isRefusal(failure)) {
            whenFinal.accept(failure);
        }
        long unreportedBefore = failed(failure);
        log.atLevel(unreportedBefore < 0 ? Level.DEBUG : Level.WARN)
                .setCause(FailureText.readable(failure))
                .log(
                        "{} failed; it is tried again as long as it makes sense{}",
                        what,
                        unreportedBefore <= 0
                                ? ""
                                : "; it has failed " + unreportedBefore + " times since the last warning");
        return unreportedBefore >= 0;
    }

    /** How many failures nobody was warned of, where one is to be warned of now; -1 where not. */
    private synchronized long failed(Throwable failure) {
        last = failure;
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

    /** What cannot be classified is tried again. */
    private static boolean isRefusal(Throwable failure) {
        try {
            return SqsQueue.isRefusal(failure);
        } catch (RuntimeException e) {
            log.debug("an error cannot be classified", FailureText.readable(e));
            return false;
        }
    }

    /** The call succeeded; answers whether it said that it works again. */
    boolean isOver() {
        hasWorked = true;
        // Also where it was pointless meanwhile: whoever was warned is to learn that it works again.
        if (last == null && !warnedSinceItWorked) {
            return false;
        }
        boolean warned;
        synchronized (this) {
            last = null;
            warned = warnedSinceItWorked;
            warnedSinceItWorked = false;
        }
        if (warned) {
            log.info("{} works again", what);
        }
        return warned;
    }

    /** There is nothing left that the call would be needed for; whether it works now nobody knows, and the pause of warnings stays. */
    void isPointless() {
        last = null;
    }

    /**
     * The same for now, where the call will be needed again: what SQS itself refuses, a call or messages of it, need not pass by
     * itself, and stays until a call succeeds.
     */
    synchronized void isPointlessForNow() {
        Throwable failure = last;
        if (failure != null && !(failure instanceof FailedEntriesException) && !isRefusal(failure)) {
            last = null;
        }
    }

    /** What fails and why, in a sentence; null where the last call succeeded, or was pointless. */
    @Nullable
    String problem() {
        Throwable failure = last;
        return failure == null ? null : what + " fails: " + FailureText.describe(failure);
    }
}
