package io.pigeonhole.testkit.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** How many times in a row something was begun at the same position. Used under the lock of the tables. */
final class StartCounts {
    private final Map<Begun, Count> counts = new HashMap<>();

    private record Begun(short consumer, String what) {}

    private record Count(String position, int starts, Instant last) {}

    int started(short consumer, String what, String position, int limit, Duration fresh, Instant now) {
        Begun begun = new Begun(consumer, what);
        Count before = counts.get(begun);
        int starts = before != null && before.position().equals(position) ? before.starts() : 0;
        if (before != null && starts >= limit && before.last().isAfter(now.minus(fresh))) {
            return 0;
        }
        counts.put(begun, new Count(position, starts + 1, now));
        return starts + 1;
    }

    /** Whether a start was taken back. */
    boolean ended(short consumer, String what, String position) {
        Begun begun = new Begun(consumer, what);
        Count before = counts.get(begun);
        if (before == null || !before.position().equals(position) || before.starts() == 0) {
            return false;
        }
        counts.put(begun, new Count(position, before.starts() - 1, before.last()));
        return true;
    }
}
