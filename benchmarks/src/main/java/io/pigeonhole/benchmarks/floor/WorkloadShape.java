package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.load.UuidVersion;

/**
 * What deliveries look like, apart from how many there are.
 *
 * @param threads how many threads work them off, each with accounts of its own
 * @param ids the ids of the messages
 * @param duplicatePercent how many of 100 deliveries repeat an earlier one
 */
public record WorkloadShape(int threads, UuidVersion ids, int duplicatePercent) {
    /** Four threads, time-ordered ids, a tenth of duplicates. */
    static final WorkloadShape STANDARD = new WorkloadShape(4, UuidVersion.V7, 10);

    /** Refuses what no workload can be made from. */
    public WorkloadShape {
        if (threads < 1) {
            throw new IllegalArgumentException("at least one thread has to work, not " + threads);
        }
        if (duplicatePercent < 0 || duplicatePercent > 99) {
            throw new IllegalArgumentException(
                    "from 0 to 99 of 100 deliveries can repeat an earlier one, not " + duplicatePercent);
        }
    }

    /** The same, but every delivery is a new message. */
    WorkloadShape withoutDuplicates() {
        return new WorkloadShape(threads, ids, 0);
    }
}
