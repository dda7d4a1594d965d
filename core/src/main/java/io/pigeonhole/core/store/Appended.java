package io.pigeonhole.core.store;

import java.util.List;

/**
 * The first messages to send of a work partition.
 *
 * @param messages in the order of their positions
 * @param mayBeBlocked whether some of them may have to wait behind others with their key: false only where the work partition has no
 *     unfinished work, nor a dead letter that blocks
 */
public record Appended(List<AppendedMessage> messages, boolean mayBeBlocked) {
    /** None. */
    public static final Appended NOTHING = new Appended(List.of(), false);

    /** Copies the list. */
    public Appended {
        messages = List.copyOf(messages);
    }
}
