package io.pigeonhole.benchmarks.report;

import io.pigeonhole.benchmarks.suite.Spread;

/**
 * A ratio as a result's file has it.
 *
 * @param numerator the name of the variant that is judged
 * @param denominator the name of the variant that it is held against
 * @param spread the ratio over the rounds
 * @param perEffect the median of the ratio of effects
 * @param target the least that the median is to reach, 0 for none
 */
record SavedRatio(String numerator, String denominator, Spread spread, double perEffect, double target) {
    String name() {
        return numerator + " / " + denominator;
    }

    boolean hasTarget() {
        return target > 0;
    }

    boolean missesItsTarget() {
        return spread.median() < target;
    }
}
