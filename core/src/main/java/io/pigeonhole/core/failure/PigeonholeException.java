package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/** The root of everything that Pigeonhole throws by itself. Its text says what happened, with numbers, and what to do. */
public class PigeonholeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message what happened and what to do next
     * @param cause what caused it, or null
     */
    public PigeonholeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
