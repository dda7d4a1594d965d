package io.pigeonhole.core.archive;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Another thread or process is writing a day to the archive at this moment. Nothing is wrong: the day may be tried again later. */
public class DayLockedException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a text and a cause.
     *
     * @param message which day it is, and of which archive
     * @param cause what caused it, or null
     */
    public DayLockedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
