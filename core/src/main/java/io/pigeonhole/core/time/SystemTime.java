package io.pigeonhole.core.time;

import java.time.Clock;

/**
 * The clock of this machine. Nothing that decides about a message reads it: leases, due times and days follow the
 * database's clock. It serves where there is no database, and where an answer only decides whether one more question is asked.
 */
public final class SystemTime {
    private SystemTime() {}

    /**
     * The machine's clock, in UTC.
     *
     * @return a clock that is safe for use by many threads
     */
    public static Clock clock() {
        return Clock.systemUTC();
    }
}
