package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/** Another transaction holds a key that was to be claimed, and did not end in time. */
public class ClaimBlockedException extends StoreException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message how long was waited for how many keys
     * @param cause the database's error, or null
     */
    public ClaimBlockedException(String message, @Nullable Throwable cause) {
        super(ErrorClass.RETRY_NOW, message, cause);
    }
}
