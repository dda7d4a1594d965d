package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.time.DurationText;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of each message that failed, after the commit: that it is a dead letter, or when it is tried again. Ten of each reason in a
 * minute, so that a flood fills no disk. Never with the payload. Safe for use by many threads.
 */
final class FailureLog {
    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);
    /** {@link NotStoredWarnings} speaks of these. */
    private static final Set<DeadReason> LOGGED_ELSEWHERE = Set.of(DeadReason.NOT_STORED, DeadReason.BYTES_NOT_STORED);

    private static final int LONGEST_NAME = 500;
    private static final Pattern BREAKS = Pattern.compile("[\\p{Cntrl}\\u2028\\u2029]+");

    private final String consumer;
    private final LimitedWarnings warnings;

    FailureLog(String consumer, LongSupplier nanos) {
        this.consumer = consumer;
        this.warnings = new LimitedWarnings(nanos);
    }

    void outcome(Message message, Outcome outcome) {
        if (outcome instanceof Outcome.Dead dead && !LOGGED_ELSEWHERE.contains(dead.reason())) {
            String limit = dead.reason() == DeadReason.RETRIES_EXHAUSTED
                    ? " (its retry policy, by maxAttempts or maxAge, allows no other attempt)"
                    : "";
            warn(dead.reason().name(), message, "is a dead letter, " + dead.reason() + limit, dead.detail());
        } else if (outcome instanceof Outcome.Parked parked) {
            // What it met now may be no failed attempt, beside one that was before.
            int failed = parked.attempts();
            String behind = failed == 0
                    ? ", without an attempt that counts"
                    : ", after " + failed + (failed == 1 ? " failed attempt" : " failed attempts");
            String when = DurationText.of(parked.dueIn());
            warn("parked", message, "waits in work and is tried again in " + when + behind, parked.error());
        }
    }

    private void warn(String reason, Message message, String what, String detail) {
        if (!log.isWarnEnabled()) {
            return;
        }
        long before = warnings.pass(reason);
        if (before >= 0) {
            log.warn(
                    "consumer '{}': {} {}: {}{}",
                    consumer,
                    oneLine(String.valueOf(message)),
                    what,
                    oneLine(detail),
                    before == 0 ? "" : " (" + before + " more of this kind were not logged)");
        }
    }

    /** Ids and errors come from outside: none of them is to look like a line of its own. */
    private static String oneLine(String text) {
        String one = BREAKS.matcher(text).replaceAll(" ");
        return one.length() <= LONGEST_NAME ? one : one.substring(0, LONGEST_NAME) + "…";
    }
}
