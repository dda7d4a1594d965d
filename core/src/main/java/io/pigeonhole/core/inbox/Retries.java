package io.pigeonhole.core.inbox;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How often a transaction that failed in passing may be tried again: at once, then after short random pauses. */
final class Retries {
    static final int MOST = 4;
    private static final long FIRST_PAUSE_MILLIS = 2;

    private int spent;

    /** Whether one more is allowed; if so, it may begin when this returns. */
    boolean another() {
        if (spent == MOST) {
            return false;
        }
        if (spent > 0) {
            long longest = TimeUnit.MILLISECONDS.toNanos(FIRST_PAUSE_MILLIS << (2 * spent));
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest));
        }
        spent++;
        return true;
    }
}
