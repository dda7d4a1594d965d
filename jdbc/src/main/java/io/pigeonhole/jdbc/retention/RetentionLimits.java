package io.pigeonhole.jdbc.retention;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * How old something has to be by the database's clock before a store may delete it now.
 *
 * @param window keys
 * @param history finished messages
 * @param attempts attempts that failed, of messages that are finished
 * @param audit what people did
 * @param replays runs over the history that have ended, what they skipped, and exports
 * @param archive for how long a program that has an archive keeps others, which have none, from deleting history; zero where no
 *     program has one
 */
public record RetentionLimits(
        Duration window, Duration history, Duration attempts, Duration audit, Duration replays, Duration archive) {
    private static final String WINDOW = "window";
    private static final String HISTORY = "history";
    private static final String ATTEMPTS = "attempts";
    private static final String AUDIT = "audit";
    private static final String REPLAYS = "replays";
    private static final String ARCHIVE = "archive";

    /** From milliseconds by the names of {@link #byName}. */
    static RetentionLimits of(Map<String, Long> millis) {
        return new RetentionLimits(
                Duration.ofMillis(millis.getOrDefault(WINDOW, 0L)),
                Duration.ofMillis(millis.getOrDefault(HISTORY, 0L)),
                Duration.ofMillis(millis.getOrDefault(ATTEMPTS, 0L)),
                Duration.ofMillis(millis.getOrDefault(AUDIT, 0L)),
                Duration.ofMillis(millis.getOrDefault(REPLAYS, 0L)),
                Duration.ofMillis(millis.getOrDefault(ARCHIVE, 0L)));
    }

    /** The names are stored; they never change. Always in the same order, so that programs lock rows in the same order. */
    Map<String, Duration> byName() {
        Map<String, Duration> all = new TreeMap<>(
                Map.of(WINDOW, window, HISTORY, history, ATTEMPTS, attempts, AUDIT, audit, REPLAYS, replays));
        if (hasArchive()) {
            all.put(ARCHIVE, archive);
        }
        return all;
    }

    /** Whether some program has an archive, which is to have the history before it goes. */
    boolean hasArchive() {
        return !archive.isZero();
    }

    /** The same where one of them is longer, if it is. */
    RetentionLimits atLeast(String name, long least) {
        Map<String, Long> millis = new TreeMap<>();
        byName().forEach((each, duration) -> millis.put(each, duration.toMillis()));
        millis.merge(name, least, Math::max);
        return of(millis);
    }

    /** The same for a retention clock that is behind. */
    RetentionLimits plus(Duration behind) {
        return new RetentionLimits(
                window.plus(behind),
                history.plus(behind),
                attempts.plus(behind),
                audit.plus(behind),
                replays.plus(behind),
                archive);
    }
}
