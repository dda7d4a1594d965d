package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import org.jspecify.annotations.Nullable;

/** A watermark is not where the transaction has read it: somebody else has advanced it, or has acquired the partition. */
public class WatermarkMovedException extends StoreException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message which watermarks
     * @param cause the database's error, or null
     */
    public WatermarkMovedException(String message, @Nullable Throwable cause) {
        super(ErrorClass.RETRY_NOW, message, cause);
    }
}
