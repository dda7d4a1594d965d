package io.pigeonhole.core.admin;

import java.time.Duration;

/** How dead letters are requeued. An immutable value: each method that changes something answers a changed copy. */
public final class Requeue {
    private static final int MOST_PER_SECOND = 1_000_000;

    private final int perSecond;
    private final long atMost;
    private final boolean evenIfLate;

    private Requeue(int perSecond, long atMost, boolean evenIfLate) {
        if (perSecond < 0 || perSecond > MOST_PER_SECOND) {
            throw new IllegalArgumentException(
                    "perSecond is " + perSecond + "; 1 to " + MOST_PER_SECOND + " are allowed, and 0 for all at once");
        }
        if (atMost < 1) {
            throw new IllegalArgumentException("atMost is " + atMost + "; at least 1 is needed");
        }
        this.perSecond = perSecond;
        this.atMost = atMost;
        this.evenIfLate = evenIfLate;
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
     * Spread over time, none that is late. The times are written with the messages, so that nothing has to stay alive for it.
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
     * The same, but only for a few, the oldest first: to try with, before the rest.
     *
     * @param letters how many letters at most are moved or removed, at least 1; those that are refused are not counted, so that the same
     *     call goes on to others
     * @return new options
     */
    public Requeue atMost(long letters) {
        return new Requeue(perSecond, letters, evenIfLate);
    }

    /**
     * The same, with letters that are late: older than the ledger, so that it is unknown whether their messages took effect before.
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

    /**
     * How many become due within a second.
     *
     * @return the number; 0 for all at once
     */
    public int perSecond() {
        return perSecond;
    }

    /**
     * How many letters at most are moved or removed.
     *
     * @return at least 1
     */
    public long atMost() {
        return atMost;
    }

    /**
     * Whether letters go back to work that are late.
     *
     * @return true if they do
     */
    public boolean evenIfLate() {
        return evenIfLate;
    }

    @Override
    public String toString() {
        return (perSecond == 0 ? "all at once" : perSecond + " per second")
                + (atMost == Long.MAX_VALUE ? "" : ", at most " + atMost)
                + (evenIfLate ? ", with those that are late" : "");
    }
}
