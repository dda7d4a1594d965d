package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * A transaction may be committed or not, such as where the connection was lost after COMMIT was sent. Hand the same messages in
 * again: the ledger knows.
 */
public class OutcomeUnknownException extends RetryableException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message what happened and what to do next
     * @param cause what caused it, or null
     */
    public OutcomeUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
