package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.store.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How many times in a row something was begun at the same position. Used under the lock of the tables. */
final class StartCounts {
    private static final String NOBODY = "";

    private final Map<Begun, Count> counts = new HashMap<>();

    private record Begun(short consumer, String what) {}

    /** The name is that of the one who began last, unless he has ended. */
    private record Count(String position, int starts, String by, Instant last) {}

    int started(short consumer, Start start, int limit, Duration fresh, Instant now) {
        Begun begun = new Begun(consumer, start.what());
        Count before = at(begun, start);
        boolean again = before != null && before.by().equals(start.by());
        if (before != null
                && !again
                && before.starts() >= limit
                && before.last().isAfter(now.minus(fresh))) {
            return 0;
        }
        int starts = before == null ? 1 : before.starts() + (again && before.starts() > 0 ? 0 : 1);
        counts.put(begun, new Count(start.position(), starts, start.by(), now));
        return starts;
    }

    /** Whether a start was taken back. */
    boolean ended(short consumer, Start start) {
        Begun begun = new Begun(consumer, start.what());
        Count before = at(begun, start);
        return before != null && change(begun, before, start, before.starts() - 1);
    }

    /** Whether starts were taken back. */
    boolean survived(short consumer, Start start) {
        Begun begun = new Begun(consumer, start.what());
        Count before = at(begun, start);
        if (before == null) {
            return false;
        }
        boolean isLast = before.by().equals(start.by()) || before.by().equals(NOBODY);
        return change(begun, before, start, isLast ? 0 : before.starts() - 1);
    }

    private boolean change(Begun begun, Count before, Start start, int starts) {
        if (before.starts() == 0) {
            return false;
        }
        String by = before.by().equals(start.by()) ? NOBODY : before.by();
        counts.put(begun, new Count(before.position(), starts, by, before.last()));
        return true;
    }

    /** Null where it was not begun, or at another position. */
    private @Nullable Count at(Begun begun, Start start) {
        Count count = counts.get(begun);
        return count != null && count.position().equals(start.position()) ? count : null;
    }
}
