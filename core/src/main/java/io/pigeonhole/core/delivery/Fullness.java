package io.pigeonhole.core.delivery;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Whether so many messages are unfinished that no more are to be handed in. To be asked again and again; what is unfinished then is
 * noted, and for how long none of it has been finished. Safe for use by many threads.
 */
final class Fullness {
    private static final double RESUME_BELOW = 0.5;

    private final Load load;
    private final DeliverySettings settings;
    private final LongSupplier clock;
    private boolean full;
    private long finished;
    private long progressAt;

    Fullness(Load load, DeliverySettings settings, LongSupplier clock) {
        this.load = load;
        this.settings = settings;
        this.clock = clock;
    }

    /**
     * From the moment when there is no room for more, until half is finished or a thread has nothing to do while there is room: what
     * one thread does not finish must not keep the others from working. While they wait for the database, nothing can be finished.
     */
    synchronized boolean isFull(BooleanSupplier isAnyIdle, BooleanSupplier isWaiting) {
        boolean wasFull = full;
        double now = load.relativeTo(settings);
        full = now >= 1 || (wasFull && now >= RESUME_BELOW && !isAnyIdle.getAsBoolean());
        if (full && (!wasFull || load.finished() != finished || isWaiting.getAsBoolean())) {
            finished = load.finished();
            progressAt = clock.getAsLong();
        }
        return full;
    }

    /** For how long there has been no room, and nothing has been finished. */
    synchronized Duration standstill() {
        return full && finished == load.finished() ? Duration.ofNanos(clock.getAsLong() - progressAt) : Duration.ZERO;
    }
}
