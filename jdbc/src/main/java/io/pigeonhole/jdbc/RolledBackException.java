package io.pigeonhole.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * A commit was asked for, and the transaction is rolled back instead: for certain, and nothing of it is kept. So where a framework has
 * marked it for rollback only.
 */
public class RolledBackException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message why it is rolled back
     * @param cause what the framework threw, or null. An {@link java.sql.SQLException} among its causes says what the rollback means
     *     for the messages; without one it is the failure of one of them
     */
    public RolledBackException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
