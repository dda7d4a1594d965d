package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/** The database is away, full or read-only. Nothing was committed; wait, and hand the same messages in again. */
public class StoreUnavailableException extends RetryableException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message what happened and what to do next
     * @param cause what caused it, or null
     */
    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
