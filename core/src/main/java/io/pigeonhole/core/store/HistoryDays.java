package io.pigeonhole.core.store;

import java.time.LocalDate;
import java.util.List;

/**
 * The history by days in UTC, for its export and for whoever wants to drop a day. Each call is a transaction of its own. Safe
 * for use by many threads.
 */
public interface HistoryDays {
    /**
     * Marks this moment, to find out later whether all transactions have ended that were open at it.
     *
     * @return a number that means something to this store only
     */
    long mark();

    /**
     * Whether all transactions have ended that were open at a mark and may record finished messages.
     *
     * @param mark a mark
     * @return true if nothing can appear in the history that was begun before the mark
     */
    boolean isPast(long mark);

    /**
     * Today by the store's clock.
     *
     * @return the day in UTC
     */
    LocalDate today();

    /**
     * All consumers.
     *
     * @return in the order in which they were registered
     */
    List<RegisteredConsumer> consumers();

    /**
     * What a consumer finished on a day.
     *
     * @param consumer whose history
     * @param day the day
     * @param after the place to begin behind, 0 for the first
     * @param limit how many at most; fewer where they are so large that they would not fit into the heap
     * @return in the order of their places, none where there are no more
     */
    List<HistoryEntry> read(RegisteredConsumer consumer, LocalDate day, long after, int limit);

    /**
     * Notes that a day is exported as a whole.
     *
     * @param day the day
     * @param entries how many messages it has
     */
    void exported(LocalDate day, long entries);

    /**
     * Whether a day was exported as a whole.
     *
     * @param day the day
     * @return true where that was noted
     */
    boolean isExported(LocalDate day);

    /**
     * Whether a run over the history that is not at its end still has messages of a day before it. Such a day must stay.
     *
     * @param day the day
     * @return true where somebody needs it
     */
    boolean isNeeded(LocalDate day);
}
