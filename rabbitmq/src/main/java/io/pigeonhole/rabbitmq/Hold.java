package io.pigeonhole.rabbitmq;

import java.time.Duration;

/**
 * For how long acknowledgements wait until a consumer has all that it may have, and all of it is settled. What is in work goes on
 * meanwhile, but in the end nothing more comes. So a hold ends as soon as nothing moves any more, and each one that failed doubles
 * the number of deliveries before the next, up to a million.
 *
 * <p>Times are of {@link System#nanoTime}. Used by the thread of one queue.
 */
final class Hold {
    private static final long LONGEST = Duration.ofSeconds(5).toNanos();

    /** Longer than deliveries and acknowledgements are on their way. */
    private static final long STILL = Duration.ofMillis(500).toNanos();

    /** After a minute one costs little, however few deliveries there were. */
    private static final long LONGEST_BREAK = Duration.ofMinutes(1).toNanos();

    private static final long FEWEST_DELIVERIES = 16;
    private static final long MOST_DELIVERIES = 1 << 20;

    private boolean held;
    private boolean failed;
    private long since;
    private long movements;
    private long movedAt;
    private long spacing = FEWEST_DELIVERIES;
    private long nextAt;
    private long failedAt;

    /**
     * Whether acknowledgements have to wait, now that something is worth waiting for.
     *
     * @param delivered how many messages were delivered so far
     * @param settled how many of them are settled
     * @param now the time
     * @return false if they have waited in vain, or others have before and it is too early to try again
     */
    boolean isHeld(long delivered, long settled, long now) {
        failed = false;
        if (!held) {
            if (delivered < nextAt && now - failedAt < LONGEST_BREAK) {
                return false;
            }
            begin(now);
        }
        if (delivered + settled != movements) {
            movements = delivered + settled;
            movedAt = now;
        }
        if (now - since < LONGEST && now - movedAt < STILL) {
            return true;
        }
        held = false;
        failed = true;
        failedAt = now;
        nextAt = delivered + spacing;
        spacing = Math.min(spacing * 2, MOST_DELIVERIES);
        return false;
    }

    /** Begins to hold, also where it is not yet time for it. */
    void begin(long now) {
        held = true;
        failed = false;
        since = now;
        movedAt = now;
    }

    /** Whether acknowledgements have waited in vain just now. */
    boolean hasFailed() {
        return failed;
    }

    /** Whether acknowledgements wait. */
    boolean isHolding() {
        return held;
    }

    /** There is nothing to wait for now. */
    void end() {
        held = false;
        failed = false;
    }

    /** What acknowledgements waited for has come. */
    void succeeded() {
        end();
        nextAt = 0;
        spacing = FEWEST_DELIVERIES;
    }
}
