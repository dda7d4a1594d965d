package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where in a lane the workers of this process have got to. What they finished leaves entries at the front of the index, and
 * while somebody holds a transaction open the server may not remove them: whoever looks from the beginning passes all of
 * them each time. So the due time up to which a full batch was taken is remembered, and the next look begins there.
 *
 * <p>It is a hint. Messages that come to light behind it, because their transaction committed late or another worker gave
 * them back, are found when a look from the beginning comes: after a batch that is not
 * full, and after a second at the latest. A lane that is drained has no hint.
 */
public final class DueHints {
    /** Before all messages. */
    public static final long BEGINNING = 0;

    private static final long LIFE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Map<Lane, Hint> hints = new ConcurrentHashMap<>();

    /** A lane of a consumer. */
    record Lane(short consumer, int number) {
        static Lane of(RegisteredConsumer consumer, int lane) {
            return new Lane(consumer.id(), lane);
        }
    }

    /**
     * Where to begin.
     *
     * @param dueAt a time in microseconds since 1970
     * @param since when the lane was last looked at from the beginning, as of {@link System#nanoTime}
     */
    record Hint(long dueAt, long since) {
        boolean isFromBeginning() {
            return dueAt == BEGINNING;
        }

        /** What to remember after a full batch that was found from here. */
        Hint movedTo(long lastDueAt) {
            return new Hint(lastDueAt, since);
        }
    }

    /** Where to begin in a lane, as of now. */
    Hint of(Lane lane) {
        long now = System.nanoTime();
        Hint hint = hints.get(lane);
        return hint == null || now - hint.since > LIFE_NANOS ? new Hint(BEGINNING, now) : hint;
    }

    /** A batch was committed; from the beginning of a lane means that it is drained. */
    void note(Lane lane, Hint hint) {
        if (hint.isFromBeginning()) {
            hints.remove(lane);
        } else {
            hints.put(lane, hint);
        }
    }

    /** Those that still count. */
    Map<Lane, Hint> all() {
        long now = System.nanoTime();
        hints.values().removeIf(hint -> now - hint.since > LIFE_NANOS);
        return Map.copyOf(hints);
    }
}
