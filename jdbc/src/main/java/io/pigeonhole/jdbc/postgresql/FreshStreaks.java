package io.pigeonhole.jdbc.postgresql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many claims of a consumer in a row met nothing but new keys. Duplicates come in bursts, after a death or a rebalance;
 * where none came for a while, a claim takes all keys for new, which costs the server less, and is made again with care where
 * one was not. A hint: it decides how something is asked, never what the answer is. Safe for use by many threads.
 */
public final class FreshStreaks {
    /** So rarely does a claim fail in vain, and so rarely does the server's log tell of a violated primary key. */
    public static final int ENOUGH = 100;

    private final int enough;
    private final Map<Short, Integer> streaks = new ConcurrentHashMap<>();

    public FreshStreaks(int enough) {
        this.enough = enough;
    }

    /** Whether all keys may be taken for new. */
    public boolean isLong(short consumer) {
        return streaks.getOrDefault(consumer, 0) >= enough;
    }

    /** A claim found all of its keys new, or not. */
    public void note(short consumer, boolean allNew) {
        if (!allNew) {
            streaks.put(consumer, 0);
        } else if (!isLong(consumer)) {
            streaks.merge(consumer, 1, Integer::sum);
        }
    }
}
