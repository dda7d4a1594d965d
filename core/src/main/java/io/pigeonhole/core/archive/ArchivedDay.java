package io.pigeonhole.core.archive;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One day of an archive while it is written. Used by one thread. After a method has thrown an {@link IOException}, only
 * {@link #close} may follow. A crash leaves the day unfinished; the next one who opens it finds what was confirmed to be whole.
 */
public interface ArchivedDay extends AutoCloseable {
    /**
     * The last message that an earlier export wrote.
     *
     * @param consumer the name of its consumer
     * @param place its place in the history
     * @param key its key
     */
    record Place(String consumer, long place, MessageKey key) {}

    /**
     * Whether the day was completed before. Then nothing is to be written.
     *
     * @return true if all of it is there, which was checked when the day was opened
     */
    boolean isComplete();

    /**
     * Whether what an earlier export wrote of this day has a message at its next place, beginning with the first one. Where the
     * store has not noted the day as exported, it asks for each message of its history, in the order in which they were
     * appended: up to {@link #last} where the day is unfinished, before anything is appended, and for all of them where it was
     * completed. A database that was restored may have as many messages of the day as the archive, and others.
     *
     * @param consumer the name of its consumer
     * @param entry the message as the history has it
     * @return false if the archive has another one there, or none; true, unless overridden
     * @throws IOException if the archive cannot be read
     */
    default boolean hasNext(String consumer, HistoryEntry entry) throws IOException {
        return true;
    }

    /**
     * How many messages the archive has of this day.
     *
     * @return those of earlier exports included, as far as they were confirmed to be whole
     */
    long entries();

    /**
     * Where an earlier export ended.
     *
     * @return its last message that is confirmed to be whole, or null where there is none
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
     * Sets aside what was written so far and begins the day anew, because it is not what the history has. Not for a day that
     * is complete.
     *
     * @throws IOException if it cannot
     */
    void restart() throws IOException;

    /**
     * Makes the day durable and complete, and checks that the archive has what was written. After that it must survive a
     * crash of the machine. A crash in the middle leaves the day complete, or unfinished.
     *
     * @throws IOException if it cannot, or something else was found than what was written; the day is not complete then
     */
    void complete() throws IOException;

    /**
     * Ends the writing. What is not complete can be gone on with. Writes nothing: what an error kept from being written is
     * not tried again.
     *
     * @throws IOException if the archive could not be released
     */
    @Override
    void close() throws IOException;
}
