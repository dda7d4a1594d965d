package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * Nothing is decided about the messages that were handed in: do not acknowledge them, hand the same ones in again. What was
 * committed before is then reported as a duplicate. No attempt is counted.
 */
public class RetryableException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message what happened and what to do next
     * @param cause what caused it, or null
     */
    public RetryableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
