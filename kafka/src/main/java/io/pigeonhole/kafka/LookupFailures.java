package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * When to ask again for the identity of a topic that could not be found out, and when to warn of it: at once where the
 * reason is a new one, and otherwise seldom. Used by the poll thread.
 */
final class LookupFailures {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration WARN_AGAIN = Duration.ofMinutes(10);

    private final Map<String, Failure> failures = new HashMap<>();

    private record Failure(Class<?> reason, String warning, int times, long nextTry, long warned) {}

    /** Whether the topic may be asked for. */
    boolean isTime(String topic, long now) {
        Failure failure = failures.get(topic);
        return failure == null || now - failure.nextTry() >= 0;
    }

    /** Notes a failure; answers the warning that is due, or null. */
    @Nullable
    String failed(String topic, Throwable cause, long now) {
        Failure before = failures.get(topic);
        int times = before == null ? 0 : before.times();
        long pause = Math.min(LONGEST_PAUSE.toNanos(), FIRST_PAUSE.toNanos() << Math.min(times, 16));
        boolean warns =
                before == null || before.reason() != cause.getClass() || now - before.warned() >= WARN_AGAIN.toNanos();
        long warned = before == null || warns ? now : before.warned();
        String warning = warning(topic, cause);
        failures.put(topic, new Failure(cause.getClass(), warning, times + 1, now + pause, warned));
        return warns ? warning : null;
    }

    /** What the last failure of a topic was; null where it has succeeded since, or never failed. */
    @Nullable
    String problemOf(String topic) {
        Failure failure = failures.get(topic);
        return failure == null ? null : failure.warning();
    }

    /** Whether the topic had failed before. */
    boolean succeeded(String topic) {
        return failures.remove(topic) != null;
    }

    private static String warning(String topic, Throwable cause) {
        String what = "the id of topic '" + topic + "' cannot be found out: " + cause
                + ". Until it is known nothing of the topic is read, because it is unknown whether it is the same topic as"
                + " before. It is asked for again every " + LONGEST_PAUSE.toSeconds() + " s or sooner";
        return cause instanceof AuthorizationException
                ? what
                        + "; grant the principal of the consumer's settings the right DESCRIBE on the topic and on the cluster"
                : what;
    }
}
