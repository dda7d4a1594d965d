package io.pigeonhole.core.store;

import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The history by days in UTC, for its export and for whoever wants to drop a day. Each call is a transaction of its own. Safe
 * for use by many threads.
 */
public interface HistoryDays {
    /**
     * Who this store is: the same for all programs that use its tables, different for every other store, and restored with
     * the tables. It is written into archives, so that no two stores take each other's days for their own.
     *
     * @return up to 40 characters of ASCII, none of them blank
     */
    String storeId();

    /**
     * Whether nothing more can appear in the history on a day that is over, because all transactions have ended that were
     * open at the first call for this day. A moment is noted then, and later calls ask about that moment, in every process, so
     * that transactions which overlap without end do not keep a day waiting for ever. Asking may take a second. It answers
     * false as long as {@link #untilRecorded} is not over, too.
     *
     * @param day a day that is over
     * @return true once all of them have ended
     * @throws IllegalArgumentException if the day is not over by the store's clock
     */
    boolean isSettled(LocalDate day);

    /**
     * How long messages of a day that is over may still be recorded without a transaction that shows it: they got their time before
     * the end of the day, and that is all that happened so far.
     *
     * @param day a day that is over
     * @return how long from now; zero where that time is over, and unless overridden
     * @throws IllegalArgumentException if the day is not over by the store's clock, where overridden
     */
    default Duration untilRecorded(LocalDate day) {
        return Duration.ZERO;
    }

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
     * @param limit how many at most; it stops before they have more bytes than 16 MiB, except for the first
     * @return in the order of their places, none where there are no more
     */
    List<HistoryEntry> read(RegisteredConsumer consumer, LocalDate day, long after, int limit);

    /**
     * How many messages all consumers together finished on a day.
     *
     * @param day the day
     * @return as many as {@link #read} finds; 0 for a day that the history does not have, or has no more
     */
    long count(LocalDate day);

    /**
     * The numbers of consumers that have messages of a day, and are not registered any more, because somebody deleted them: nothing
     * that {@link #count} counts of them is found by {@link #read}.
     *
     * @param day the day
     * @return in ascending order; none unless overridden
     */
    default List<Integer> deletedConsumers(LocalDate day) {
        return List.of();
    }

    /**
     * Notes that a day is exported as a whole, instead of what was noted of it before.
     *
     * @param day the day
     * @param entries how many messages it has
     */
    void exported(LocalDate day, long entries);

    /**
     * With how many messages a day was exported as a whole.
     *
     * @param day the day
     * @return empty where nothing was noted
     */
    OptionalLong exportedEntries(LocalDate day);

    /**
     * The last day that was noted as exported, of those notes that are not deleted yet.
     *
     * @return the greatest day, or empty
     */
    Optional<LocalDate> lastExported();

    /**
     * Whether a day was exported as a whole.
     *
     * @param day the day
     * @return true where that was noted
     */
    default boolean isExported(LocalDate day) {
        return exportedEntries(day).isPresent();
    }

    /**
     * Whether a run over the history that is not at its end still has messages of a day before it. Such a day must stay.
     *
     * @param day the day
     * @return true where somebody needs it
     */
    boolean isNeeded(LocalDate day);
}
