package io.pigeonhole.core.admin;

import java.time.Duration;
import java.time.Instant;

/**
 * A task that looks through a table for rows to delete, and its pass under way, or its last one.
 *
 * @param task its name, that of the table
 * @param begunAt when the pass began, by the database's clock
 * @param underWay whether it is not at its end
 * @param deleted how many rows it has deleted
 * @param took for how long it worked
 */
public record UpkeepEntry(String task, Instant begunAt, boolean underWay, long deleted, Duration took) {
    /**
     * How fast it deletes.
     *
     * @return rows of a second of work; 0 where it has not worked for a millisecond
     */
    public double rowsPerSecond() {
        return took.toMillis() == 0 ? 0 : deleted * 1_000.0 / took.toMillis();
    }
}
