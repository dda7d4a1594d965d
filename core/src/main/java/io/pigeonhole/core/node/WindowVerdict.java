package io.pigeonhole.core.node;

import io.pigeonhole.core.time.DurationText;
import java.time.Duration;

/**
 * What the window guard found of one source.
 *
 * @param source the name of the source
 * @param window how long the store remembers keys
 * @param redeliveryWindow for how long the broker may deliver again
 */
public record WindowVerdict(String source, Duration window, RedeliveryWindow redeliveryWindow) {
    /** Of any store. */
    private static final Duration LONGEST_WINDOW = Duration.ofDays(366);

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
     * The verdict in words, with its numbers, and what to set where the window is too short.
     *
     * @return a sentence
     */
    public String describe() {
        String remembers = ", the store remembers keys for " + DurationText.of(window);
        return switch (redeliveryWindow.kind()) {
            case LIMITED ->
                mayDeliverAgain()
                        + remembers
                        + (isTooShort() ? " only: a duplicate could be too old to be recognised. " + mend() : "");
            case UNLIMITED ->
                source + ": " + redeliveryWindow.origin() + " keeps messages for ever" + remembers
                        + " only: a duplicate could be too old to be recognised. Let the broker delete messages within that time, or"
                        + " use watermarks, which Kafka can have";
            case UNKNOWN ->
                source + ": " + redeliveryWindow.origin()
                        + ": nobody knows for how long a message may be delivered again" + remembers;
        };
    }

    private String mayDeliverAgain() {
        return source + ": " + redeliveryWindow.origin() + " may deliver a message again for "
                + DurationText.of(needed());
    }

    private String mend() {
        String shorter = "let the broker delete messages within " + DurationText.of(window);
        return needed().compareTo(LONGEST_WINDOW) > 0
                ? "No window is that long: " + shorter + ", or use watermarks, which Kafka can have"
                : "Set window of the store's builder to " + DurationText.enoughFor(needed()) + ", or " + shorter;
    }

    private Duration needed() {
        return redeliveryWindow.duration() == null ? Duration.ZERO : redeliveryWindow.duration();
    }
}
