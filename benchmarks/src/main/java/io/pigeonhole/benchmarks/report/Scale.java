package io.pigeonhole.benchmarks.report;

import java.math.BigDecimal;

/**
 * The axis of a chart, from 0 on.
 *
 * @param step from one mark to the next: 1, 2 or 5 times a power of ten
 * @param steps how many steps the axis has
 */
record Scale(double step, int steps) {
    private static final int MOST_STEPS = 8;
    private static final int[] ROUND = {1, 2, 5, 10};
    private static final double TOLERANCE = 1e-9;

    /** The shortest axis with at most 8 steps that a value fits on. */
    static Scale upTo(double largest) {
        if (!(largest > 0) || Double.isInfinite(largest)) {
            throw new IllegalArgumentException("there is no axis up to " + largest);
        }
        int exponent = (int) Math.floor(Math.log10(largest / MOST_STEPS));
        for (int round : ROUND) {
            double step = BigDecimal.valueOf(round).scaleByPowerOfTen(exponent).doubleValue();
            int steps = (int) Math.ceil(largest / step - TOLERANCE);
            if (steps <= MOST_STEPS) {
                return new Scale(step, steps);
            }
        }
        throw new IllegalStateException("ten times a power of ten is large enough, but not for " + largest);
    }

    /** Where a value is, from 0 to 1. */
    double of(double value) {
        return value / (step * steps);
    }

    /** How the axis names a value. */
    String label(double value) {
        return new BigDecimal(String.valueOf(Math.round(value / step)))
                .multiply(BigDecimal.valueOf(step))
                .stripTrailingZeros()
                .toPlainString();
    }
}
