package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where in a work partition the workers of this process have got to. What they finished leaves entries at the front of the index, and
 * while somebody holds a transaction open the server may not remove them: whoever looks from the beginning passes all of
 * them each time. So the due time up to which a full batch was taken is remembered, and the next look begins there.
 *
 * <p>It is a hint. Messages that come to light behind it, because their transaction committed late or another worker gave
 * them back, are found when a look from the beginning comes: after a batch that is not
 * full, and after a second at the latest. A work partition that is drained has no hint.
 */
public final class DueHints {
    /** Before all messages. */
    public static final long BEGINNING = 0;

    private static final long LIFE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Map<WorkPartition, Hint> hints = new ConcurrentHashMap<>();

    /** A work partition of a consumer. */
    record WorkPartition(short consumer, int number) {
        static WorkPartition of(RegisteredConsumer consumer, int workPartition) {
            return new WorkPartition(consumer.id(), workPartition);
        }
    }

    /**
     * Where to begin.
     *
     * @param dueAt a time in microseconds since 1970
     * @param since when the work partition was last looked at from the beginning, as of {@link System#nanoTime}
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

    /** Where to begin in a work partition, as of now. */
    Hint of(WorkPartition workPartition) {
        long now = System.nanoTime();
        Hint hint = hints.get(workPartition);
        return hint == null || now - hint.since > LIFE_NANOS ? new Hint(BEGINNING, now) : hint;
    }

    /** A batch was committed; from the beginning of a work partition means that it is drained. */
    void note(WorkPartition workPartition, Hint hint) {
        if (hint.isFromBeginning()) {
            hints.remove(workPartition);
        } else {
            hints.put(workPartition, hint);
        }
    }

    /** Those that still count. */
    Map<WorkPartition, Hint> all() {
        long now = System.nanoTime();
        hints.values().removeIf(hint -> now - hint.since > LIFE_NANOS);
        return Map.copyOf(hints);
    }
}
