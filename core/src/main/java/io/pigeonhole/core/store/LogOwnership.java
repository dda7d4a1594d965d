package io.pigeonhole.core.store;

import io.pigeonhole.core.message.LogPartition;

/** Gives partitions of logs to those who read them, so that one of them at a time can advance a watermark. */
public interface LogOwnership {
    /**
     * Takes the next assignment of a partition. Whoever had it before cannot advance it any more. Committed when it returns;
     * a crash before leaves the assignment as it was, or taken and never used.
     *
     * @param consumer who reads
     * @param partition what
     * @param log the identity of the log
     * @return the watermark of the new assignment
     * @throws io.pigeonhole.core.failure.ConfigurationException if the stored position is that of another log, or the
     *     consumer deduplicates otherwise by now
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached; try again
     */
    Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log);
}
