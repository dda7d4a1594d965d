package io.pigeonhole.core.failure;

import org.jspecify.annotations.Nullable;

/** The database refused what the store asked of it. */
public class StoreException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    /** What the error means. */
    private final ErrorClass errorClass;

    /**
     * An exception with what it means.
     *
     * @param errorClass what the error means
     * @param message what was asked, and what to do
     * @param cause the database's error, or null
     */
    public StoreException(ErrorClass errorClass, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.errorClass = errorClass;
    }

    /**
     * What the error means.
     *
     * @return the class of the error
     */
    public ErrorClass errorClass() {
        return errorClass;
    }
}
