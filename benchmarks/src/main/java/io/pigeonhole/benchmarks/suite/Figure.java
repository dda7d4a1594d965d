package io.pigeonhole.benchmarks.suite;

/**
 * Something that was measured once in a run, and is no speed of a variant: a latency, what an idle node costs.
 *
 * @param name what was measured; it never changes
 * @param value what came of it
 * @param unit the unit of the value
 * @param target what it is to reach, 0 for none
 * @param atMost whether the target is the most that the value may be, and not the least
 */
public record Figure(String name, double value, String unit, double target, boolean atMost) {
    /** One that is only to be known. */
    public static Figure of(String name, double value, String unit) {
        return new Figure(name, value, unit, 0, true);
    }

    /** One that is to be as small as a target. */
    public static Figure atMost(String name, double value, String unit, double target) {
        return new Figure(name, value, unit, target, true);
    }

    /** One that is to be as large as a target. */
    public static Figure atLeast(String name, double value, String unit, double target) {
        return new Figure(name, value, unit, target, false);
    }

    /** Whether it has a target. */
    public boolean hasTarget() {
        return target > 0;
    }

    /** Whether it has a target and does not reach it. */
    public boolean missesItsTarget() {
        return hasTarget() && (atMost ? value > target : value < target);
    }
}
