package io.pigeonhole.examples.demo;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * When the consumer dies: after how many committed payments, and how long after that was seen. Each kill has its own part
 * of the run and a seeded place in it. For one thread.
 */
public final class KillSchedule {
    /** No kill in the first and the last part of the run: there must be something to lose, and something left to do. */
    private static final double EDGE = 0.05;

    /** Of each kill's own part, the margin on both sides. */
    private static final double MARGIN = 0.15;

    private static final long LONGEST_HESITATION_NANOS = Duration.ofMillis(40).toNanos();

    private final long[] at;
    private final long[] hesitationNanos;
    private int done;

    /**
     * Decides on the moments.
     *
     * @param kills how many
     * @param payments how many effects there will be
     * @param seed decides
     */
    public KillSchedule(int kills, long payments, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        at = new long[kills];
        hesitationNanos = new long[kills];
        for (int i = 0; i < kills; i++) {
            double within = (i + MARGIN + random.nextDouble() * (1 - 2 * MARGIN)) / kills;
            at[i] = Math.max(1, (long) (payments * (EDGE + within * (1 - 2 * EDGE))));
            hesitationNanos[i] = random.nextLong(LONGEST_HESITATION_NANOS);
        }
    }

    /**
     * Whether the next kill is due.
     *
     * @param committed how many effects there are
     * @return true if it is
     */
    public boolean isDue(long committed) {
        return done < at.length && committed >= at[done];
    }

    /**
     * How long to wait before it, so that it hits another moment of the batch each time.
     *
     * @return nanoseconds
     */
    public long hesitationNanos() {
        return hesitationNanos[done];
    }

    /** Notes that it is done. */
    public void killed() {
        done++;
    }

    /**
     * How many are done.
     *
     * @return the number
     */
    public int done() {
        return done;
    }

    /**
     * How many there are in all.
     *
     * @return the number
     */
    public int planned() {
        return at.length;
    }

    /**
     * Whether all are done.
     *
     * @return true if they are
     */
    public boolean isOver() {
        return done == at.length;
    }

    @Override
    public String toString() {
        return "kills at " + Arrays.toString(at);
    }
}
