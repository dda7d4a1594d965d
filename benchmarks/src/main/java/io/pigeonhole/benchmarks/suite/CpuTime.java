package io.pigeonhole.benchmarks.suite;

/**
 * Processor time of both sides, in nanoseconds. It says what the time went into, and it hardly changes when other programs
 * keep the machine busy.
 *
 * @param client of this process, 0 where it is not known
 * @param server of the server's processes that serve this one, 0 where they are not to be seen
 */
public record CpuTime(long client, long server) {
    /** What was spent since an earlier moment. */
    public CpuTime since(CpuTime earlier) {
        return new CpuTime(client - earlier.client, server - earlier.server);
    }
}
