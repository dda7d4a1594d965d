package io.pigeonhole.core.archive;

import java.io.IOException;
import java.time.LocalDate;

/**
 * A place outside the database where days of the history are kept. What it has of a day is right and whole, or it does not say
 * that it has the day. Safe for use by many threads, each at another day.
 */
public interface HistoryArchive {
    /**
     * Opens a day to be written. What an earlier export wrote and a crash left is kept as far as it is confirmed to be whole;
     * something that is damaged is set aside, with a warning that says where.
     *
     * @param store whose day it is
     * @param day the day in UTC
     * @return the day, to be closed by the caller
     * @throws DayLockedException if another thread or process is writing this day
     * @throws IOException if the archive cannot be written, has this day of another store or of an unknown origin, or is not the
     *     archive to which this store's earlier days went
     */
    ArchivedDay open(ArchivedStore store, LocalDate day) throws IOException;

    /**
     * Whether the archive has all of a day. It looks at what there is, and does not rely on what it once wrote: a disk may
     * have lost it.
     *
     * @param store whose day it is
     * @param day the day in UTC
     * @param entries how many messages of the day the store has noted as exported
     * @return true if the day is there as a whole, with so many messages; false if it is absent or damaged
     * @throws IOException if the archive cannot find out, has this day of another store or of an unknown origin, or it is
     *     not the archive to which this store's earlier days went
     */
    boolean contains(ArchivedStore store, LocalDate day, long entries) throws IOException;
}
