package io.pigeonhole.core.store;

import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;

/**
 * The hours of a day in which a store may delete what is past its time: hours of little load. Local times; where the clocks
 * are put forward or back in between, that night is as much shorter or longer.
 *
 * @param from when it begins, included
 * @param until when it ends, excluded; before {@code from} for one that goes over midnight
 * @param zone whose local times they are
 */
public record MaintenanceWindow(LocalTime from, LocalTime until, ZoneId zone) {
    /** Checks that it is not empty. */
    public MaintenanceWindow {
        if (from.equals(until)) {
            throw new IllegalArgumentException("a maintenance window from " + from + " to " + until
                    + " is empty; set none where maintenance may run all day");
        }
    }

    /**
     * Whether an instant lies within.
     *
     * @param instant the instant
     * @return true from {@link #from} to {@link #until} by the clocks of the zone
     */
    public boolean contains(Instant instant) {
        LocalTime time = LocalTime.ofInstant(instant, zone);
        boolean begun = !time.isBefore(from);
        boolean over = !time.isBefore(until);
        return from.isBefore(until) ? begun && !over : begun || !over;
    }
}
