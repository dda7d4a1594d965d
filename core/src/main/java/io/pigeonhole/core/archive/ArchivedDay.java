package io.pigeonhole.core.archive;

import io.pigeonhole.core.store.HistoryEntry;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One day of an archive while it is written. Used by one thread. A crash leaves all that was whole, and maybe a part more. */
public interface ArchivedDay extends AutoCloseable {
    /**
     * The last message that an earlier export wrote.
     *
     * @param consumer the name of its consumer
     * @param place its place in the history
     */
    record Place(String consumer, long place) {}

    /**
     * Whether the day was completed before. Then nothing is to be written.
     *
     * @return true if all of it is there
     */
    boolean isComplete();

    /**
     * How many messages the archive has of this day.
     *
     * @return those of earlier exports included
     */
    long entries();

    /**
     * Where an earlier export ended.
     *
     * @return its last message, or null where there is none
     */
    @Nullable
    Place last();

    /**
     * Writes a message. It need not be durable before {@link #complete}.
     *
     * @param consumer the name of its consumer
     * @param entry the message; the next one of its consumer, or the first of another
     * @throws IOException if it cannot be written
     */
    void append(String consumer, HistoryEntry entry) throws IOException;

    /**
     * Makes the day durable and complete. After that it must survive a crash of the machine.
     *
     * @throws IOException if it cannot
     */
    void complete() throws IOException;

    /**
     * Ends the writing. What is not complete can be gone on with.
     *
     * @throws IOException if something that was written may not have reached the archive
     */
    @Override
    void close() throws IOException;
}
