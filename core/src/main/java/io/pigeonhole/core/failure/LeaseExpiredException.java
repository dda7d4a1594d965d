package io.pigeonhole.core.failure;

import java.time.Duration;

/** Recorded as the failure of an attempt whose lease ran out. Never thrown. */
public class LeaseExpiredException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure with what is known of the lease.
     *
     * @param owner the node that had it
     * @param overdue how long ago it ended
     */
    public LeaseExpiredException(String owner, Duration overdue) {
        super(
                "the lease of '" + owner + "' ran out " + overdue.toMillis()
                        + " ms ago: its process died, hung, or lost the database",
                null);
    }
}
