package io.pigeonhole.core.inbox;

import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A call of the application was interrupted because it took too long, and failed. */
final class HandlerTimeoutException extends TimeoutException {
    private static final long serialVersionUID = 1L;

    HandlerTimeoutException(String message, @Nullable Throwable cause) {
        super(message);
        initCause(cause);
    }
}
