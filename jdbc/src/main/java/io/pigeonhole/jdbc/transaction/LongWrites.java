package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ErrorClass;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether what the inbox itself writes of its messages may take longer than a handler may. Usually it does not, and is written
 * under the handlers' limit, because to lift that costs round trips. A write that was cancelled would be so each time anew: it
 * is repeated without the limit, and for an hour all writes of the store are without it. Safe for use by many threads.
 */
public final class LongWrites {
    private static final Duration EXPECTED = Duration.ofHours(1);

    private final AtomicReference<@Nullable Long> cancelled = new AtomicReference<>();

    /** Whether the handlers' limit is to be lifted. */
    public boolean areExpected() {
        Long since = cancelled.get();
        return since != null && System.nanoTime() - since < EXPECTED.toNanos();
    }

    /** A statement was cancelled, or waited in vain, for the limits that handlers have. */
    public void expect() {
        cancelled.set(System.nanoTime());
    }

    /**
     * What it means that a write was cancelled. If that was for a limit that somebody else has set, each message goes by itself.
     *
     * @param wasExpected whether the handlers' limit was lifted
     * @param messages how many were written
     * @param own what it means for one of them
     */
    ErrorClass cancelled(boolean wasExpected, int messages, ErrorClass own) {
        expect();
        if (!wasExpected) {
            return ErrorClass.RETRY_NOW;
        }
        return messages > 1 ? ErrorClass.ABORTED : own;
    }
}
