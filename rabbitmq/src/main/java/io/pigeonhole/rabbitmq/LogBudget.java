package io.pigeonhole.rabbitmq;

/** How much may be logged: ten lines a minute, however often a connection comes and goes. Safe for use by many threads. */
final class LogBudget {
    static final int LINES = 10;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private int taken;
    private int leftOut;
    private long begun = System.nanoTime() - MINUTE_NANOS;

    /**
     * Asks for a line.
     *
     * @param now of {@link System#nanoTime}
     * @return how many lines were left out since the last, or -1 if this one is to be left out, too
     */
    synchronized int take(long now) {
        if (now - begun >= MINUTE_NANOS) {
            begun = now;
            taken = 0;
        }
        if (taken == LINES) {
            leftOut++;
            return -1;
        }
        taken++;
        int before = leftOut;
        leftOut = 0;
        return before;
    }
}
