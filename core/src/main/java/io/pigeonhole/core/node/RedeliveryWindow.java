package io.pigeonhole.core.node;

import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * For how long a broker may deliver a message again, counted from its arrival there.
 *
 * @param kind whether that is known
 * @param duration how long, null unless the kind is {@link Kind#LIMITED}
 * @param origin where this comes from, for people: which setting of what
 */
public record RedeliveryWindow(Kind kind, @Nullable Duration duration, String origin) {
    /** What is known of a redelivery window. */
    public enum Kind {
        /** It ends after the duration. */
        LIMITED,
        /** The broker keeps messages for ever. */
        UNLIMITED,
        /** The broker does not report it. */
        UNKNOWN
    }

    /** Checks that there is a duration exactly where it is limited. */
    public RedeliveryWindow {
        if ((duration != null) != (kind == Kind.LIMITED)) {
            throw new IllegalArgumentException("a redelivery window that is " + kind + " and lasts "
                    + (duration == null ? "nothing" : DurationText.of(duration)));
        }
    }

    /**
     * A redelivery window that ends.
     *
     * @param duration after how long
     * @param origin where this comes from
     * @return the redelivery window
     */
    public static RedeliveryWindow of(Duration duration, String origin) {
        return new RedeliveryWindow(Kind.LIMITED, duration, origin);
    }

    /**
     * A redelivery window without end.
     *
     * @param origin where this comes from
     * @return the redelivery window
     */
    public static RedeliveryWindow unlimited(String origin) {
        return new RedeliveryWindow(Kind.UNLIMITED, null, origin);
    }

    /**
     * A redelivery window that nobody knows.
     *
     * @param origin why
     * @return the redelivery window
     */
    public static RedeliveryWindow unknown(String origin) {
        return new RedeliveryWindow(Kind.UNKNOWN, null, origin);
    }
}
