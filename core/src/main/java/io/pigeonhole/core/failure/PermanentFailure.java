package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to say that no retry will help: the message goes to the dead letters at once, with this text as its
 * reason. What the handler wrote is rolled back.
 */
public class PermanentFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure with a text.
     *
     * @param message why the message can never be processed
     */
    public PermanentFailure(String message) {
        super(message);
    }

    /**
     * A failure with a text and a cause.
     *
     * @param message why the message can never be processed
     * @param cause what caused it, or null
     */
    public PermanentFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
