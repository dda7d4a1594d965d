package io.pigeonhole.benchmarks.suite;

import org.jspecify.annotations.Nullable;

/**
 * What one variant did in one round.
 *
 * @param messages how many deliveries it worked off
 * @param effects how many of them had an effect
 * @param nanos how long that took, without setting up and checking
 * @param cpu the processor time that it took
 * @param violation what was wrong with what it left, null if it did the work; its speed means nothing then
 */
public record Measurement(
        long messages,
        long effects,
        long nanos,
        CpuTime cpu,
        @Nullable String violation) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICROSECOND = 1e3;

    /** One of a variant that did the work. */
    public Measurement(long messages, long effects, long nanos, CpuTime cpu) {
        this(messages, effects, nanos, cpu, null);
    }

    /** Refuses what cannot be divided by. */
    public Measurement {
        if (messages <= 0 || effects <= 0 || nanos <= 0) {
            throw new IllegalArgumentException(
                    "nothing was measured: " + messages + " messages, " + effects + " effects, " + nanos + " ns");
        }
    }

    /** Deliveries worked off, per second. */
    public double messagesPerSecond() {
        return messages * NANOS_PER_SECOND / nanos;
    }

    /** Microseconds of processor time that the client spent for a delivery. */
    public double clientMicros() {
        return cpu.client() / NANOS_PER_MICROSECOND / messages;
    }

    /** Microseconds of processor time that the server spent for a delivery. */
    public double serverMicros() {
        return cpu.server() / NANOS_PER_MICROSECOND / messages;
    }

    /** Effects made, per second: less than the deliveries where duplicates are skipped. */
    public double effectsPerSecond() {
        return effects * NANOS_PER_SECOND / nanos;
    }
}
