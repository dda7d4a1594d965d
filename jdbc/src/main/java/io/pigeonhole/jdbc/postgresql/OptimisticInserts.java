package io.pigeonhole.jdbc.postgresql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides when a claim may insert all of its keys without looking for duplicates first. An optimistic insert costs the
 * server less, and is repeated with care where a key was known. It is tried where many claims of the consumer in a row
 * found nothing but new keys: duplicates come in bursts, after a crash or a rebalance. A hint: it decides how something is
 * asked, never what the answer is. Safe for use by many threads.
 */
public final class OptimisticInserts {
    /** The larger it is, the more rarely an optimistic insert fails, and the server logs a violated primary key. */
    public static final int ENOUGH = 100;

    private final int enough;
    private final Map<Short, Integer> newInARow = new ConcurrentHashMap<>();

    public OptimisticInserts(int enough) {
        this.enough = enough;
    }

    /** Whether a claim may take all keys for new. */
    public boolean mayTry(short consumer) {
        return newInARow.getOrDefault(consumer, 0) >= enough;
    }

    /** A claim found all of its keys new, or not. */
    public void note(short consumer, boolean allNew) {
        if (!allNew) {
            newInARow.put(consumer, 0);
        } else if (!mayTry(consumer)) {
            newInARow.merge(consumer, 1, Integer::sum);
        }
    }
}
