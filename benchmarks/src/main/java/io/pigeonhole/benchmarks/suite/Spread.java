package io.pigeonhole.benchmarks.suite;

import java.util.Arrays;

/**
 * Many measurements of one thing.
 *
 * @param median the middle one, or the mean of the middle two
 * @param min the smallest
 * @param max the largest
 */
public record Spread(double median, double min, double max) {
    /** The spread of at least one value. */
    public static Spread of(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
