package io.pigeonhole.core.node;

import java.time.Duration;

/**
 * What the window guard found of one source.
 *
 * @param source the name of the source
 * @param window how long the store remembers keys
 * @param horizon for how long the broker may deliver again
 */
public record WindowVerdict(String source, Duration window, RedeliveryHorizon horizon) {
    /**
     * Whether the store may delete a key before the broker has deleted the message.
     *
     * @return true where the horizon is longer than the window or has no end; false where it is not, and where it is unknown
     */
    public boolean isTooShort() {
        return switch (horizon.kind()) {
            case LIMITED -> horizon.duration() != null && horizon.duration().compareTo(window) > 0;
            case UNLIMITED -> true;
            case UNKNOWN -> false;
        };
    }

    /**
     * The verdict in words, with its numbers.
     *
     * @return a sentence
     */
    public String describe() {
        String keeps = source + ": " + horizon.origin();
        return switch (horizon.kind()) {
            case LIMITED ->
                isTooShort()
                        ? keeps + " may deliver a message again for " + horizon.duration()
                                + ", the store remembers keys for " + window
                                + " only: a duplicate could be too old to be recognised. Make the store's window at least as long"
                        : keeps + " may deliver a message again for " + horizon.duration()
                                + ", the store remembers keys for " + window;
            case UNLIMITED ->
                keeps + " keeps messages for ever, the store remembers keys for " + window
                        + " only: a duplicate could be too old to be recognised. Limit the retention, or use watermarks";
            case UNKNOWN ->
                keeps + ": nobody knows for how long a message may be delivered again; the store remembers keys for "
                        + window;
        };
    }
}
