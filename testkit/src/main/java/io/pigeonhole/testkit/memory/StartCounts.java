package io.pigeonhole.testkit.memory;

import java.util.HashMap;
import java.util.Map;

/** How many times in a row something was begun at the same position. Used under the lock of the tables. */
final class StartCounts {
    private final Map<Begun, Count> counts = new HashMap<>();

    private record Begun(short consumer, String what) {}

    private record Count(String position, int starts) {}

    int started(short consumer, String what, String position) {
        Begun begun = new Begun(consumer, what);
        Count before = counts.get(begun);
        int starts = before != null && before.position().equals(position) ? before.starts() + 1 : 1;
        counts.put(begun, new Count(position, starts));
        return starts;
    }
}
