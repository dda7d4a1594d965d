package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.message.LogPartition;
import java.util.Collection;
import java.util.List;

/** The positions of a consumer in logs, in one transaction. */
public interface Watermarks {
    /**
     * Reads watermarks, without locks.
     *
     * @param consumer whose
     * @param partitions distinct, at least one
     * @return those that exist, in no special order
     * @throws ConsumerPausedException if the consumer is paused: the transaction must be rolled back
     */
    List<Watermark> watermarks(RegisteredConsumer consumer, Collection<LogPartition> partitions);

    /**
     * Advances watermarks, if each of them still is what it was read as, at the latest with the commit. Nothing but the
     * commit comes after it.
     *
     * @param consumer whose
     * @param advances at least one, each of another partition
     * @throws WatermarkMovedException now or at the commit, if one of them is another one now: the transaction is, or must
     *     be, rolled back
     */
    void advance(RegisteredConsumer consumer, List<Advance> advances);
}
