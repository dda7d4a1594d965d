package io.pigeonhole.benchmarks.suite;

/**
 * One variant's speed divided by another's.
 *
 * @param numerator the name of the variant that is judged
 * @param denominator the name of the variant that it is held against
 * @param target the least that the median is to reach, 0 for none
 */
public record Ratio(String numerator, String denominator, double target) {
    /** The ratio's name in reports. */
    public String name() {
        return numerator + "/" + denominator;
    }
}
