package io.pigeonhole.core.relay;

import java.util.Objects;

/** What became of a message that a {@link Publisher} was to publish. */
public sealed interface Publication {
    /** For all that are confirmed. */
    Publication CONFIRMED = new Confirmed();

    /** The broker has confirmed that it keeps the message. */
    record Confirmed() implements Publication {}

    /**
     * The broker, or its client, refuses this message, and would take others: it is too large, or nothing takes its routing key. The
     * attempt counts.
     *
     * @param cause what it was refused with
     */
    record Refused(Throwable cause) implements Publication {
        /** Refuses null. */
        public Refused {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /**
     * The broker is away, does not answer in time, or takes nothing for this destination, such as for a missing right. It may have the
     * message nevertheless. No attempt counts, and the message is published again.
     *
     * @param cause what was met
     */
    record Unavailable(Throwable cause) implements Publication {
        /** Refuses null. */
        public Unavailable {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
