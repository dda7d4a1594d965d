package io.pigeonhole.benchmarks.suite;

/** One way of doing the suite's work. Measured again and again, in turns with the others. */
public interface Variant {
    /** The name that stands in reports; it never changes. */
    String name();

    /**
     * Sets up, does the work, and checks what came of it. Only the work is timed.
     *
     * @return how much was done in which time
     * @throws InvariantBrokenException if the result is wrong, so that its speed means nothing, and the run is to end; a
     *     measurement with a violation lets it go on
     * @throws Exception if the work could not be done
     */
    Measurement measure() throws Exception;
}
