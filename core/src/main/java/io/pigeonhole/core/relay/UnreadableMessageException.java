package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.PermanentFailure;

/** The row of a message could not be read: no retry policy is asked, as there is nothing to publish. */
final class UnreadableMessageException extends PermanentFailure {
    private static final long serialVersionUID = 1L;

    UnreadableMessageException(String message) {
        super(message);
    }
}
