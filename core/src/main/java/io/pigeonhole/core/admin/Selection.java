package io.pigeonhole.core.admin;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.time.StoredTime;
import java.time.Instant;

/**
 * Dead letters that somebody has looked at and counted, to be requeued together. Letters that die later are not among them.
 *
 * @param filter which letters
 * @param cutoff only those that died then or before, by the database's clock
 * @param count how many there were when it was made
 */
public record Selection(DeadLetterFilter filter, Instant cutoff, long count) {
    /** Takes the nearest cutoff that a database keeps. */
    public Selection {
        cutoff = StoredTime.nearest(cutoff);
    }

    /**
     * Whether letters of the reason {@link DeadReason#CONFLICT} stay dead although they are counted. Another payload was accepted with the id of
     * each, or is kept, and it would take effect beside that.
     *
     * @return true unless the filter asks for that reason
     */
    public boolean leavesOutConflicts() {
        return filter.reason() != DeadReason.CONFLICT;
    }
}
