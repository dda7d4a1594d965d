package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.PigeonholeException;

/**
 * The database refused to write what was decided about a message, in a transaction of its own and in spite of other messages
 * for which it does so.
 */
final class NotStoredException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    /** Whether the message was refused as a dead letter too, with its bytes. */
    private final boolean bare;

    NotStoredException(boolean bare, Throwable cause) {
        super("the database refused what the inbox wrote for this message: " + cause.getMessage(), cause);
        this.bare = bare;
    }

    boolean isBare() {
        return bare;
    }
}
