package io.pigeonhole.core.store;

import java.util.List;

/** The messages to send that are not published yet, as a relay takes them. */
public interface OutboxQueue {
    /**
     * Reads the first messages of a work partition that this transaction has {@linkplain WorkQueue#enter entered}, so that no other
     * relay takes them before it ends. They are read, and not changed. None where the consumer is paused.
     *
     * @param consumer the consumer that stands for the relay
     * @param destination whose messages
     * @param workPartition of which work partition
     * @param limit how many at most
     * @param bytes how many bytes their payloads and headers may have together; where the first one has more, it is read alone
     * @return the messages in the order of their positions
     */
    Appended appended(RegisteredConsumer consumer, String destination, int workPartition, int limit, long bytes);

    /**
     * Deletes messages that are published, or that this transaction has stored elsewhere.
     *
     * @param destination whose messages
     * @param workPartition of which work partition; this transaction has entered it
     * @param positions distinct, maybe none
     * @throws RuntimeException here or at the commit, if one of them is not there any more
     */
    void removeAppended(String destination, int workPartition, List<Long> positions);
}
