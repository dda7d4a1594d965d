package io.pigeonhole.core.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction of a bulk requeue did.
 *
 * @param looked how many letters were looked at; those that somebody else had moved meanwhile are among them
 * @param requeued how many letters went back to work
 * @param duplicates how many were removed because their messages were accepted since
 * @param refused how many stayed dead because they are late, from the future, or not taken as work
 * @param conflicts how many were left out, see {@link Selection#leavesOutConflicts}
 * @param last the last letter that was looked at; null where there was none
 * @param nextDue when the next message would be due; null where nothing was requeued
 */
public record RequeuedPart(
        long looked,
        long requeued,
        long duplicates,
        long refused,
        long conflicts,
        @Nullable Cursor last,
        @Nullable Instant nextDue) {
    /** Where there are no letters any more. */
    public static final RequeuedPart NOTHING = new RequeuedPart(0, 0, 0, 0, 0, null, null);

    /**
     * The part in words, for the audit.
     *
     * @param selection which letters
     * @param options how
     * @return one line
     */
    public String describe(Selection selection, Requeue options) {
        return requeued + " requeued, " + duplicates + " removed as duplicates, " + refused + " refused, " + conflicts
                + " conflicts left out; of "
                + selection.filter() + " until " + selection.cutoff() + " with " + options;
    }
}
