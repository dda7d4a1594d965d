package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages in work of types that this program has no handler for. Some program accepted them, one that is newer than this, or
 * older: while programs differ, it is not for this one to give up on them. Safe for use by many threads.
 */
final class UnknownWork {
    private static final Logger log = LoggerFactory.getLogger(UnknownWork.class);
    private static final Duration SHORTEST = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(10);
    private static final int MOST_TYPES = 100;

    private final Map<String, Long> warned = new ConcurrentHashMap<>();

    /** How long a message of this age waits: as long again, within bounds, so that another program finds it soon. */
    static Duration delay(Duration age) {
        return age.compareTo(SHORTEST) < 0 ? SHORTEST : age.compareTo(LONGEST) > 0 ? LONGEST : age;
    }

    /** Warns, for each type once in a while. */
    void warn(String consumer, @Nullable String type) {
        String name = String.valueOf(type);
        long now = System.nanoTime();
        Long before = warned.get(name);
        boolean isNew = before == null && warned.size() < MOST_TYPES;
        if (isNew || (before != null && now - before > BETWEEN_WARNINGS.toNanos())) {
            warned.put(name, now);
            log.warn(
                    "consumer '{}': messages {} are in work and this program has no handler for them; they wait"
                            + " for one that has. Bring all programs of this consumer to one version, or discard them",
                    consumer,
                    type == null ? "without a type" : "of type '" + ErrorText.bounded(type) + "'");
        }
    }
}
