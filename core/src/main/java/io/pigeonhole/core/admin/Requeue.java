package io.pigeonhole.core.admin;

import java.time.Duration;

/**
 * How dead letters are requeued.
 *
 * @param perSecond how many become due within a second; 0 for all at once. The times are written with the messages, so
 *     that nothing has to stay alive for it
 * @param atMost how many letters at most are moved or removed, the oldest first: a few to try with, before the rest. Those
 *     that are refused are not counted, so that the same call goes on to others
 * @param evenIfLate whether letters go back to work that are older than the ledger, so that it is unknown whether their
 *     messages took effect before
 */
public record Requeue(int perSecond, long atMost, boolean evenIfLate) {
    private static final int MOST_PER_SECOND = 1_000_000;

    /** Checks the numbers. */
    public Requeue {
        if (perSecond < 0 || perSecond > MOST_PER_SECOND) {
            throw new IllegalArgumentException(
                    "perSecond is " + perSecond + "; 1 to " + MOST_PER_SECOND + " are allowed, and 0 for all at once");
        }
        if (atMost < 1) {
            throw new IllegalArgumentException("atMost is " + atMost + "; at least 1 is needed");
        }
    }

    /**
     * All at once, none that is late.
     *
     * @return the options
     */
    public static Requeue atOnce() {
        return new Requeue(0, Long.MAX_VALUE, false);
    }

    /**
     * Spread over time, none that is late.
     *
     * @param messages how many become due within a second, at least 1
     * @return the options
     */
    public static Requeue perSecond(int messages) {
        if (messages < 1) {
            throw new IllegalArgumentException("perSecond is " + messages + "; at least 1 is needed");
        }
        return new Requeue(messages, Long.MAX_VALUE, false);
    }

    /**
     * The same, but only for a few.
     *
     * @param letters how many letters at most are moved or removed; those that are refused are not counted
     * @return new options
     */
    public Requeue atMost(long letters) {
        return new Requeue(perSecond, letters, evenIfLate);
    }

    /**
     * The same, with letters that are late.
     *
     * @return new options
     */
    public Requeue withLate() {
        return new Requeue(perSecond, atMost, true);
    }

    /**
     * How long after one message the next is due.
     *
     * @return zero for all at once
     */
    public Duration interval() {
        return perSecond == 0 ? Duration.ZERO : Duration.ofSeconds(1).dividedBy(perSecond);
    }
}
