package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/** No connection to the database could be had: it is away, or the pool is used up. Nothing was begun; try again. */
public class NoConnectionException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message what happened and what to do next
     * @param cause what caused it, or null
     */
    public NoConnectionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
