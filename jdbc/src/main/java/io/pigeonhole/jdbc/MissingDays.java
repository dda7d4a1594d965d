package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates days of the history when a message met a time without one, before the next transaction: whoever met it has a
 * connection, and perhaps the only one of the pool. PostgreSQL gives one SQLSTATE to a day that is missing and to a constraint
 * that refuses a message; which of both it is shows in a transaction that begins after the days were created. Safe for use by
 * many threads.
 */
final class MissingDays {
    private static final String CHECK_VIOLATION = "23514";

    /** For so long days that were created are there. */
    private static final long CERTAIN = Duration.ofMinutes(1).toNanos();

    private final Runnable creation;
    private final LongSupplier nanos;
    private volatile boolean isMissed;
    private volatile long createdAt;

    MissingDays(Runnable creation, LongSupplier nanos) {
        this.creation = creation;
        this.nanos = nanos;
        this.createdAt = nanos.getAsLong() - CERTAIN;
    }

    /** Before a transaction. Whoever comes meanwhile waits. */
    void createWhereMissed() {
        if (isMissed) {
            create();
        }
    }

    private synchronized void create() {
        if (!isMissed) {
            return;
        }
        try {
            creation.run();
        } catch (PigeonholeException e) {
            throw new StoreUnavailableException(
                    "the history has no day for the present, and none could be created: " + e.getMessage(), e);
        }
        createdAt = nanos.getAsLong();
        isMissed = false;
    }

    /** When a transaction begins. */
    long now() {
        return nanos.getAsLong();
    }

    /** Whether the history may lack a day, so that the same should be tried again. */
    boolean isMissed(@Nullable String state, long begunAt) {
        boolean areThere = begunAt - createdAt >= 0 && begunAt - createdAt < CERTAIN;
        if (!CHECK_VIOLATION.equals(state) || areThere) {
            return false;
        }
        isMissed = true;
        return true;
    }
}
