package io.pigeonhole.core.time;

import java.time.Instant;

/** The instants that every database keeps: the years 1000 to 9999 in UTC. */
public final class StoredTime {
    /** The first one. */
    public static final Instant FIRST = Instant.parse("1000-01-01T00:00:00Z");

    /** The last one, in microseconds. */
    public static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private StoredTime() {}

    /**
     * Whether every database keeps an instant, but for what is smaller than a microsecond.
     *
     * @param instant the instant
     * @return true from {@link #FIRST} to {@link #LAST}
     */
    public static boolean keeps(Instant instant) {
        return !instant.isBefore(FIRST) && !instant.isAfter(LAST);
    }

    /**
     * The nearest instant that every database keeps: a bound such as {@code Instant.MAX} means the same there.
     *
     * @param bound the instant
     * @return the instant, {@link #FIRST} or {@link #LAST}
     */
    public static Instant nearest(Instant bound) {
        if (bound.isBefore(FIRST)) {
            return FIRST;
        }
        return bound.isAfter(LAST) ? LAST : bound;
    }
}
