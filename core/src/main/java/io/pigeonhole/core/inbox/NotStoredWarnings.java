package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of messages that the database refuses to keep. Each that becomes a dead letter is logged once, after the commit. Those
 * that cannot even be that come again and again, each second or so: of them it warns once in a minute, however many they are, and
 * logs each at debug level with its cause. Safe for use by many threads.
 */
final class NotStoredWarnings {
    private static final Logger log = LoggerFactory.getLogger(NotStoredWarnings.class);
    private static final long BETWEEN = Duration.ofMinutes(1).toNanos();

    private final String consumer;
    private final LongSupplier nanos;
    private boolean given;
    private long at;
    private long untold;

    NotStoredWarnings(String consumer, LongSupplier nanos) {
        this.consumer = consumer;
        this.nanos = nanos;
    }

    /** A dead letter was committed instead of what was to become of the message. */
    void dead(Message message, boolean isBare, String detail) {
        log.warn(
                "consumer '{}': {} is a dead letter{}: {}",
                consumer,
                message,
                isBare ? " without its bytes" : "",
                detail);
    }

    /** Nothing could be committed, and the message is busy; answers whether it warned of it. */
    boolean busy(Message message, Throwable cause) {
        return waits(message, "cannot even be a dead letter, and is busy until the database keeps it", cause);
    }

    /** The database does not even say whether it is new, and the message is busy; answers whether it warned of it. */
    boolean refused(Message message, Throwable cause) {
        return waits(message, "is refused by the database, and is busy until it takes it", cause);
    }

    private boolean waits(Message message, String what, Throwable cause) {
        log.debug("consumer '{}': {} {}", consumer, message, what, FailureText.readable(cause));
        long before = warnNow();
        if (before < 0) {
            return false;
        }
        log.warn(
                "consumer '{}': {} {}: {}{}. The next such warning comes in {} s at the earliest; the causes stand at debug level",
                consumer,
                message,
                what,
                ErrorText.bounded(FailureText.messageOf(cause)),
                before == 0 ? "" : " (there were " + before + " such attempts since the last warning)",
                Duration.ofNanos(BETWEEN).toSeconds());
        return true;
    }

    /** How many attempts nobody was warned of, where one is to be warned of now; -1 where not. */
    private synchronized long warnNow() {
        long now = nanos.getAsLong();
        if (given && now - at < BETWEEN) {
            untold++;
            return -1;
        }
        given = true;
        at = now;
        long before = untold;
        untold = 0;
        return before;
    }
}
