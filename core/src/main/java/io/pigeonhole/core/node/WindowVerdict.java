package io.pigeonhole.core.node;

import java.time.Duration;

/**
 * What the window guard found of one source.
 *
 * @param source the name of the source
 * @param window how long the store remembers keys
 * @param redeliveryWindow for how long the broker may deliver again
 */
public record WindowVerdict(String source, Duration window, RedeliveryWindow redeliveryWindow) {
    /**
     * Whether the store may delete a key before the broker has deleted the message.
     *
     * @return true where the redelivery window is longer than the window or has no end; false where it is not, and where it is unknown
     */
    public boolean isTooShort() {
        return switch (redeliveryWindow.kind()) {
            case LIMITED ->
                redeliveryWindow.duration() != null
                        && redeliveryWindow.duration().compareTo(window) > 0;
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
        String keeps = source + ": " + redeliveryWindow.origin();
        return switch (redeliveryWindow.kind()) {
            case LIMITED ->
                isTooShort()
                        ? keeps + " may deliver a message again for " + redeliveryWindow.duration()
                                + ", the store remembers keys for " + window
                                + " only: a duplicate could be too old to be recognised. Make the store's window at least as long"
                        : keeps + " may deliver a message again for " + redeliveryWindow.duration()
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
