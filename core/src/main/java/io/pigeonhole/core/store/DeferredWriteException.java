package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import org.jspecify.annotations.Nullable;

/** A deferred write failed, and it is known whose it was. */
public class DeferredWriteException extends StoreException {
    private static final long serialVersionUID = 1L;

    /** The message whose write it was. */
    private final transient MessageKey key;

    /**
     * An exception with the message at fault.
     *
     * @param errorClass what the error means
     * @param key the message whose write it was
     * @param message the statement, and what was expected of it
     * @param cause the database's error, or null
     */
    public DeferredWriteException(ErrorClass errorClass, MessageKey key, String message, @Nullable Throwable cause) {
        super(errorClass, message, cause);
        this.key = key;
    }

    /**
     * The message whose write failed.
     *
     * @return its key
     */
    public MessageKey key() {
        return key;
    }
}
