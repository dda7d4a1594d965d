package io.pigeonhole.core.archive;

import java.io.IOException;
import java.time.LocalDate;

/** A place outside the database where days of the history are kept. Safe for use by many threads, each at another day. */
public interface HistoryArchive {
    /**
     * Opens a day to be written. What an earlier export wrote and a crash left is kept as far as it is whole.
     *
     * @param day the day in UTC
     * @return the day, to be closed by the caller
     * @throws IOException if the archive cannot be written, or another process is writing this day
     */
    ArchivedDay open(LocalDate day) throws IOException;
}
