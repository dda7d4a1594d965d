package io.pigeonhole.jdbc.replay;

import java.time.Duration;

/** Finds out when those transactions have ended that were open at a moment and may record finished messages. */
public interface HistoryBarrier {
    /** Marks this moment. */
    long mark();

    /** Whether all of them have ended; asking may take a second, in which others who record messages wait. */
    boolean isPast(long mark);

    /** For how long after a moment messages of that moment may come that no transaction shows yet. */
    Duration delay();
}
