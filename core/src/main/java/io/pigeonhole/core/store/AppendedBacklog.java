package io.pigeonhole.core.store;

import java.util.Set;
import java.util.function.BiConsumer;

/** Says where there are messages to send, cheaply and without locks. */
public interface AppendedBacklog {
    /**
     * Asks which work partitions have messages to send.
     *
     * @param destination whose messages
     * @return the work partitions, maybe none
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    Set<Integer> appendedTo(String destination);

    /**
     * Has a listener called, on the committing thread, when a transaction of this store has appended messages. It should return at once. A
     * hint: a process that dies before loses nothing, and of transactions that the store does not commit nothing is heard.
     *
     * @param listener learns the destination, and in which work partitions there is something
     * @return ends it: from then on the listener is not called
     */
    Runnable whenAppended(BiConsumer<String, Set<Integer>> listener);
}
