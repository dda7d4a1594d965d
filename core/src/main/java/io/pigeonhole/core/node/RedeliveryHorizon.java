package io.pigeonhole.core.node;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * For how long a broker may deliver a message again, counted from its arrival there.
 *
 * @param kind whether that is known
 * @param duration how long, null unless the kind is {@link Kind#LIMITED}
 * @param origin where this comes from, for people: which setting of what
 */
public record RedeliveryHorizon(Kind kind, @Nullable Duration duration, String origin) {
    /** What is known of a horizon. */
    public enum Kind {
        /** It ends after the duration. */
        LIMITED,
        /** The broker keeps messages for ever. */
        UNLIMITED,
        /** The broker does not report it. */
        UNKNOWN
    }

    /** Checks that there is a duration exactly where it is limited. */
    public RedeliveryHorizon {
        if ((duration != null) != (kind == Kind.LIMITED)) {
            throw new IllegalArgumentException("a redelivery horizon that is " + kind + " and lasts " + duration);
        }
    }

    /**
     * A horizon that ends.
     *
     * @param duration after how long
     * @param origin where this comes from
     * @return the horizon
     */
    public static RedeliveryHorizon of(Duration duration, String origin) {
        return new RedeliveryHorizon(Kind.LIMITED, duration, origin);
    }

    /**
     * A horizon without end.
     *
     * @param origin where this comes from
     * @return the horizon
     */
    public static RedeliveryHorizon unlimited(String origin) {
        return new RedeliveryHorizon(Kind.UNLIMITED, null, origin);
    }

    /**
     * A horizon that nobody knows.
     *
     * @param origin why
     * @return the horizon
     */
    public static RedeliveryHorizon unknown(String origin) {
        return new RedeliveryHorizon(Kind.UNKNOWN, null, origin);
    }
}
