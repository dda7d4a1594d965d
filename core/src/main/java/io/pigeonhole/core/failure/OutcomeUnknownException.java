package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The connection was lost after COMMIT was sent: the transaction may be committed or not. Hand the same messages in again:
 * the ledger knows.
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
