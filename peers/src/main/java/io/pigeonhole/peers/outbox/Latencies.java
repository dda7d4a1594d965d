package io.pigeonhole.peers.outbox;

/** Sorted latencies, at least one. */
final class Latencies {
    private static final double NANOS_PER_MILLISECOND = 1e6;

    private final long[] sorted;

    Latencies(long[] sorted) {
        this.sorted = sorted;
    }

    /** What so many percent do not exceed, in milliseconds. */
    double percentile(double percent) {
        int index = (int) Math.ceil(percent / 100 * sorted.length) - 1;
        return sorted[Math.max(0, index)] / NANOS_PER_MILLISECOND;
    }
}
