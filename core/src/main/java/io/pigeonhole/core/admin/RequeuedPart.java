package io.pigeonhole.core.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction of a bulk requeue did.
 *
 * @param requeued how many letters went back to work
 * @param duplicates how many were removed because their messages were accepted since
 * @param refused how many stayed dead because they are late, or from the future
 * @param last the last letter that was looked at; null where there was none
 * @param nextDue when the next message would be due; null where nothing was requeued
 */
public record RequeuedPart(
        long requeued,
        long duplicates,
        long refused,
        @Nullable Cursor last,
        @Nullable Instant nextDue) {
    /**
     * How many letters were looked at.
     *
     * @return the sum
     */
    public long size() {
        return requeued + duplicates + refused;
    }
}
